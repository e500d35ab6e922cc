/* Images whose hash is right and whose content is impossible are refused, word by word; what is possible is accepted.
   SPDX-License-Identifier: MIT */
#include "saved_cloths.h"

/* Takes an image with some words changed and sealed again, and expects a result of it. Undoes everything. */
static void expect_content(image_fixture *t, int expected, const char *what) {
  seal(t->trial, t->bytes);
  int result = cloth_read_image(t->s.sheet, t->trial, t->bytes);
  CHECK(result == expected, "%s gave %s instead of %s", what, cloth_result_name(result), cloth_result_name(expected));
  if (result != CLOTH_OK) CHECK(is_untouched(t), "%s changed the arena", what);
  put_back(t);
  memcpy(t->trial, t->image, t->bytes);
}

static void refuse_word(image_fixture *t, size_t word, uint32_t bits, const char *what) {
  set_word(t->trial, word, bits);
  expect_content(t, CLOTH_ERROR_IMAGE_CONTENT, what);
}

static void accept_word(image_fixture *t, size_t word, uint32_t bits, const char *what) {
  set_word(t->trial, word, bits);
  expect_content(t, CLOTH_OK, what);
}

/* What no float of a state can be, wherever it lies. */
static void refuse_impossible_floats(image_fixture *t, size_t word, const char *what) {
  static const uint32_t never[] = {0x7fc00000u, 0xffc00001u, 0x7f800001u, 0x7f800000u, 0xff800000u, 0x80000000u,
                                   0x00000001u, 0x807fffffu, 0x00800000u, 0x2b7fffffu, 0xab7fffffu};
  for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
    char text[96];
    snprintf(text, sizeof text, "0x%08x in %s", (unsigned)never[i], what);
    refuse_word(t, word, never[i], text);
  }
}

static void test_impossible_floats(image_fixture *t) {
  for (size_t word = HEADER_WORDS; word < t->at.first[REGION_COUNT]; word++) {
    int region = region_of(&t->at, word);
    int free_slot = region == REGION_COLLIDERS && word >= slot_word(&t->at, 3, 0);
    int free_held = region == REGION_CONFINED && word >= held_word(&t->at, 2, 0);
    if (!is_float_word(&t->at, word) || free_slot || free_held) continue;
    char what[64];
    snprintf(what, sizeof what, "region %d, word %d", region, (int)(word - t->at.first[region]));
    refuse_impossible_floats(t, word, what);
    refuse_word(t, word, 0x7f7fffffu, what); /* each has a range, too */
  }
}

static void expect_limits(image_fixture *t, size_t word, float limit, const char *what) {
  accept_word(t, word, float_word(limit), what);
  accept_word(t, word, float_word(-limit), what);
  refuse_word(t, word, float_word(nextafterf(limit, INFINITY)), what);
  refuse_word(t, word, float_word(-nextafterf(limit, INFINITY)), what);
}

static void test_impossible_motion(image_fixture *t) {
  const image_map *at = &t->at;
  for (int region = REGION_POSITION; region <= REGION_VELOCITY; region++) {
    for (size_t i = 0; i < 3 * (size_t)at->count; i++)
      expect_limits(t, at->first[region] + i, 1.0e5f, region == REGION_POSITION ? "position" : "velocity");
  }
}

/* The first plane of each vector alone may say that a history is forgotten; a history in use is one of velocities. */
static void test_impossible_history(image_fixture *t) {
  const image_map *at = &t->at;
  size_t first = at->first[REGION_EARLIER];
  for (int i = 0; i < 6 * at->stride; i++) {
    if (i % (3 * at->stride) < at->count)
      accept_word(t, first + (size_t)i, float_word(FORGOTTEN), "a forgotten history");
    else
      refuse_word(t, first + (size_t)i, float_word(FORGOTTEN), "forgotten in another plane");
    refuse_word(t, first + (size_t)i, float_word(-FORGOTTEN), "a speed that no particle has");
    refuse_word(t, first + (size_t)i, float_word(nextafterf(FORGOTTEN, 0.0f)), "nearly forgotten");
    refuse_word(t, first + (size_t)i, float_word(nextafterf(FORGOTTEN, INFINITY)), "more than forgotten");
    accept_word(t, first + (size_t)i, float_word(1.0e5f), "the history of a fast particle");
    accept_word(t, first + (size_t)i, float_word(-1.0e5f), "the history of a fast particle");
    accept_word(t, first + (size_t)i, float_word(1.7320508e5f), "the history of a fast particle in a plane");
  }
}

static void test_impossible_tethers(image_fixture *t) {
  const image_map *at = &t->at;
  size_t chosen = input_word(at, INPUT_TETHERS_CHOSEN);
  CHECK(get_word(t->image, chosen) == 1, "tethers are chosen");
  static const uint32_t never[] = {15, 16, 64, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xfffffffeu};
  for (size_t i = 0; i < at->used[REGION_TETHERS]; i++) {
    size_t word = at->first[REGION_TETHERS] + i;
    for (size_t k = 0; k < sizeof never / sizeof never[0]; k++)
      refuse_word(t, word, never[k], "a tether to a particle that is not there");
    accept_word(t, word, 0xffffffffu, "no tether");
    for (uint32_t pin = 0; pin < 15; pin++) {
      if (pin == 0 || pin == 4)
        accept_word(t, word, pin, "a tether to a pin");
      else
        refuse_word(t, word, pin, "a tether to a particle that moves");
      set_word(t->trial, chosen, 0);
      accept_word(t, word, pin, "a tether from before, to be chosen anew");
    }
  }
  accept_word(t, chosen, 2, "tethers set by the caller");
  refuse_word(t, chosen, 3, "tethers chosen in no way there is");
  refuse_word(t, chosen, 0xffffffffu, "tethers chosen -1 times");
  refuse_word(t, chosen, 0x80000000u, "tethers chosen");
  accept_word(t, chosen, 0, "tethers to be chosen");
}

static void test_impossible_substep(image_fixture *t) {
  size_t last = input_word(&t->at, INPUT_LAST_SUBSTEP);
  accept_word(t, last, 0, "no substep yet");
  accept_word(t, last, float_word(1.0f), "the longest substep");
  accept_word(t, last, float_word(1.0e-6f / 1024.0f), "the shortest substep");
  refuse_word(t, last, float_word(nextafterf(1.0f, 2.0f)), "a substep too long");
  refuse_word(t, last, float_word(-1.0e-3f), "a substep backwards");
  size_t equal = input_word(&t->at, INPUT_EQUAL_SUBSTEPS);
  accept_word(t, equal, 0, "a substep of another length");
  accept_word(t, equal, 2, "substeps of one length");
  refuse_word(t, equal, 3, "more substeps of one length than are counted");
  refuse_word(t, equal, 0xffffffffu, "fewer substeps of one length than none");
  refuse_word(t, equal, 0x80000000u, "fewer substeps of one length than none");
}

static void test_impossible_origin(image_fixture *t) {
  for (int i = 0; i < 3; i++) {
    size_t word = input_word(&t->at, INPUT_ORIGIN + i);
    accept_word(t, word, CLOTH_ORIGIN_LIMIT, "the farthest origin");
    accept_word(t, word, 0u - (uint32_t)CLOTH_ORIGIN_LIMIT, "the farthest origin");
    refuse_word(t, word, CLOTH_ORIGIN_LIMIT + 1, "an origin beyond the limit");
    refuse_word(t, word, 0u - (uint32_t)CLOTH_ORIGIN_LIMIT - 1u, "an origin beyond the limit");
    refuse_word(t, word, 0x80000000u, "an origin beyond the limit");
  }
}

/* Without room for them there are no targets, and without a period no gusts. */
static void test_impossible_animation(image_fixture *t) {
  const image_map *at = &t->at;
  refuse_word(t, input_word(at, INPUT_TARGETS), 1, "targets that are not there");
  refuse_word(t, input_word(at, INPUT_TARGETS), 0xffffffffu, "targets that are not there");
  accept_word(t, input_word(at, INPUT_GUST_PERIOD), float_word(0.5f), "gusts of no strength");
  refuse_word(t, input_word(at, INPUT_GUST_SEED), 7, "a seed of no gusts");
  refuse_word(t, input_word(at, INPUT_GUST_PLACE), 7, "a place in no gusts");
  refuse_word(t, input_word(at, INPUT_GUST_PLACE + 1), 7, "a place in no gusts");
  for (int i = 0; i < 3; i++)
    refuse_word(t, input_word(at, INPUT_GUST_STRENGTH + i), float_word(1.0f), "gusts without a period");
}

static void test_impossible_targets(void) {
  cloth_config config = targets_config();
  image_fixture t = image_fixture_make(&config);
  const image_map *at = &t.at;
  size_t targets = input_word(at, INPUT_TARGETS), period = input_word(at, INPUT_GUST_PERIOD);
  CHECK(get_word(t.image, targets) == 1, "targets are at rest");
  accept_word(&t, targets, 2, "targets under way");
  refuse_word(&t, targets, 3, "targets in no way there is");
  refuse_word(&t, targets, 0x80000000u, "targets in no way there is");
  accept_word(&t, period, float_word(1000.0f), "the longest gusts");
  refuse_word(&t, period, float_word(1001.0f), "longer gusts");
  refuse_word(&t, period, float_word(0.01f), "gusts too short");
  accept_word(&t, input_word(at, INPUT_GUST_PLACE), 0xffffffffu, "gusts of long ago");
  for (int i = 0; i < 3; i++) {
    size_t strength = input_word(at, INPUT_GUST_STRENGTH + i);
    accept_word(&t, strength, float_word(1000.0f), "the strongest gusts");
    refuse_word(&t, strength, float_word(nextafterf(1000.0f, INFINITY)), "stronger gusts");
    refuse_word(&t, strength, float_word(-1.0f), "gusts of less than no strength");
  }
  size_t plane = (size_t)at->stride, word = at->first[REGION_TARGETS];
  static const float most[3] = {1.0e6f, 1.0e4f, 1.0e4f};
  for (size_t n = 0; n < 3; n++) {
    accept_word(&t, word + n * plane, float_word(most[n]), "the most of a constraint");
    refuse_word(&t, word + n * plane, float_word(1.01f * most[n]), "more of a constraint");
    refuse_word(&t, word + n * plane, float_word(-0.5f), "a constraint below 0");
  }
  const size_t drive = word + 3 * TARGET_DRIVE * plane;
  accept_word(&t, drive, float_word(1.0e6f), "the stiffest drive");
  refuse_word(&t, drive, float_word(1.01e6f), "a stiffer drive");
  refuse_word(&t, drive, float_word(-1.0f), "a drive away from the target");
  for (size_t n = 1; n < 3; n++)
    refuse_word(&t, drive + n * plane, float_word(1.0f), "a second drive");
  refuse_impossible_floats(&t, drive, "a drive");
  size_t place = word + 3 * plane, before = word + 6 * plane, normal = word + 9 * plane;
  refuse_word(&t, place, float_word(0.75f), "a target at rest that is elsewhere than before");
  refuse_word(&t, normal, float_word(0.5f), "a normal at rest that is another than before");
  for (size_t i = 0; i < 3; i++) {
    set_word(t.trial, targets, 2);
    accept_word(&t, place + i * plane, float_word(-1.0e5f), "a target at the end of the world");
    set_word(t.trial, targets, 2);
    refuse_word(&t, place + i * plane, float_word(1.01e5f), "a target beyond it");
    set_word(t.trial, targets, 2);
    refuse_word(&t, before + i * plane, float_word(-1.01e5f), "a target beyond it");
    set_word(t.trial, targets, 2);
    refuse_word(&t, normal + i * plane, float_word(1.5f), "a long normal");
  }
  refuse_word(&t, targets, 0, "targets nowhere that are somewhere");
  image_fixture_free(&t);
}

/* A cloth that never sleeps counts no time towards it. */
static void test_impossible_sleep(image_fixture *t) {
  size_t quiet = input_word(&t->at, INPUT_QUIET);
  accept_word(t, quiet, 0, "awake");
  refuse_word(t, quiet, float_word(0.1f), "nearly asleep");
  refuse_word(t, quiet, float_word(-1.0f), "asleep");
}

/* Between regions and planes there is nothing. */
static void test_impossible_pads(image_fixture *t, int expected) {
  int pads = 0;
  for (size_t word = HEADER_WORDS; word < t->at.first[REGION_COUNT]; word++) {
    if (is_pad(&t->at, word)) {
      pads++;
      CHECK(get_word(t->image, word) == 0, "word %d between planes is 0x%08x", (int)word,
            (unsigned)get_word(t->image, word));
      refuse_word(t, word, 1, "a small word between planes");
      refuse_word(t, word, float_word(1.0f), "a number between planes");
      refuse_word(t, word, 0x80000000u, "-0 between planes");
    }
  }
  CHECK(pads >= expected, "only %d words between planes", pads);
}

static void test_pads(void) {
  cloth_config config = pads_config();
  image_fixture t = image_fixture_make(&config);
  test_impossible_pads(&t, 12 * 48);
  image_fixture_free(&t);
}

/* Without tethers there is nothing to choose. */
static void test_no_tethers(void) {
  cloth_config config = plain_config();
  image_fixture t = image_fixture_make(&config);
  refuse_word(&t, input_word(&t.at, INPUT_TETHERS_CHOSEN), 1, "tethers chosen that are not there");
  image_fixture_free(&t);
}

static void set_freedom(image_fixture *t, int particle, unsigned char freedom) {
  t->trial[4 * t->at.first[REGION_FREEDOM] + (size_t)particle] = freedom;
}

static void test_impossible_freedoms(image_fixture *t) {
  for (int freedom = 0; freedom < 256; freedom++) {
    char what[32];
    snprintf(what, sizeof what, "freedom %d", freedom);
    set_freedom(t, 6, (unsigned char)freedom); /* free so far */
    int possible = freedom == 0 || freedom == 3 || freedom == 4 || freedom == 8;
    expect_content(t, possible ? CLOTH_OK : CLOTH_ERROR_IMAGE_CONTENT, what);
  }
  set_freedom(t, 2, 3);
  expect_content(t, CLOTH_ERROR_IMAGE_CONTENT, "a free particle in the list of confined ones");
  set_freedom(t, 2, 2);
  expect_content(t, CLOTH_ERROR_IMAGE_CONTENT, "a line held as a plane");
  for (int byte = 1; byte < 256; byte <<= 1) {
    set_freedom(t, t->at.count, (unsigned char)byte);
    expect_content(t, CLOTH_ERROR_IMAGE_CONTENT, "a freedom past the last particle");
  }
}

static void test_impossible_confinements(image_fixture *t) {
  const image_map *at = &t->at;
  CHECK(get_word(t->image, input_word(at, INPUT_CONFINED_COUNT)) == 2, "two are confined");
  int first = (int)get_word(t->image, held_word(at, 0, HELD_PARTICLE));
  int second = (int)get_word(t->image, held_word(at, 1, HELD_PARTICLE));
  static const uint32_t counts[] = {0, 1, 3, 4, 65535, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    refuse_word(t, input_word(at, INPUT_CONFINED_COUNT), counts[i], "confined_count");
  static const uint32_t particles[] = {6, 0, 15, 16, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  for (size_t i = 0; i < sizeof particles / sizeof particles[0]; i++)
    refuse_word(t, held_word(at, 0, HELD_PARTICLE), particles[i], "a particle that is not confined");
  static const uint32_t freedoms[] = {0, 3, 4, 5, 8, 0x80000001u, 0xffffffffu};
  for (size_t i = 0; i < sizeof freedoms / sizeof freedoms[0]; i++)
    refuse_word(t, held_word(at, 0, HELD_FREEDOM), freedoms[i], "freedom of a confinement");
  refuse_word(t, held_word(at, 0, HELD_DIRECTION), float_word(1.25f), "a long direction");
  for (int i = 0; i < 3; i++)
    set_word(t->trial, held_word(at, 0, HELD_DIRECTION + i), 0);
  expect_content(t, CLOTH_ERROR_IMAGE_CONTENT, "no direction");
  for (int i = 0; i < 3; i++)
    expect_limits(t, held_word(at, 0, HELD_ANCHOR + i), 1.0e5f, "anchor");
  for (int i = 0; i < HELD_WORDS; i++)
    refuse_word(t, held_word(at, 2, i), 1, "a word of a confinement that is not there");
  /* One particle twice, another one nowhere: confined without a confinement. */
  for (int i = 0; i < HELD_WORDS; i++)
    set_word(t->trial, held_word(at, 1, i), get_word(t->image, held_word(at, 0, i)));
  set_freedom(t, second, (unsigned char)get_word(t->image, held_word(at, 0, HELD_FREEDOM)));
  set_freedom(t, first, (unsigned char)get_word(t->image, held_word(at, 0, HELD_FREEDOM)));
  expect_content(t, CLOTH_ERROR_IMAGE_CONTENT, "a particle confined twice");
}

/* What a particle listed twice leads to: the other one finds room where there is none, beyond the last confinement. */
static void test_confined_twice(void) {
  cloth_config config = plain_config();
  config.capacity.max_confined = 2;
  fixture s = fixture_make(&config);
  image_map at = map_of(&config);
  cloth_confine_to_line(s.sheet, 2, vector_at(0.0, 1.0, 0.0));
  cloth_confine_to_line(s.sheet, 7, vector_at(0.0, 1.0, 0.0));
  size_t bytes = s.memory.image_bytes;
  unsigned char *image = copy_bytes(s.arena, bytes), *after = copy_bytes(s.arena, bytes);
  cloth_write_image(s.sheet, image, bytes);
  for (int i = 0; i < HELD_WORDS; i++)
    set_word(image, held_word(&at, 1, i), get_word(image, held_word(&at, 0, i)));
  seal(image, bytes);
  cloth_read_image(s.sheet, image, bytes);
  cloth_confine_to_line(s.sheet, 7, vector_at(0.0, 0.0, 1.0));
  cloth_write_image(s.sheet, after, bytes);
  for (int i = 0; i < INPUT_WORDS; i++) {
    uint32_t was = get_word(image, input_word(&at, i)), is = get_word(after, input_word(&at, i));
    CHECK(is == was, "input %d went from 0x%08x to 0x%08x as particle 7 was confined", i, (unsigned)was, (unsigned)is);
  }
  free(image);
  free(after);
  fixture_free(&s);
}

static void test_impossible_slots(image_fixture *t) {
  const image_map *at = &t->at;
  CHECK(get_word(t->image, input_word(at, INPUT_COLLIDER_END)) == 3, "three colliders");
  static const uint32_t ends[] = {0, 1, 2, 4, 5, 64, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    refuse_word(t, input_word(at, INPUT_COLLIDER_END), ends[i], "collider_end");
  static const uint32_t used[] = {0, 2, 0x80000001u, 0xffffffffu};
  for (size_t i = 0; i < sizeof used / sizeof used[0]; i++)
    refuse_word(t, slot_word(at, 1, SLOT_USED), used[i], "used");
  static const uint32_t shapes[] = {5, 6, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  for (int slot = 0; slot < 3; slot++) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
      refuse_word(t, slot_word(at, slot, SLOT_SHAPE), shapes[i], "an unknown shape");
  }
  for (int i = 0; i < SLOT_WORDS; i++)
    refuse_word(t, slot_word(at, 3, i), 1, "a word of a free slot");
  for (int i = 0; i < SLOT_WORDS; i++)
    set_word(t->trial, slot_word(at, 2, i), 0);
  expect_content(t, CLOTH_ERROR_IMAGE_CONTENT, "collider_end past a free slot");
}

static void expect_size(image_fixture *t, int slot, int word, const char *what) {
  size_t at = slot_word(&t->at, slot, word);
  refuse_word(t, at, 0, what);
  refuse_word(t, at, float_word(-0.25f), what);
  refuse_word(t, at, float_word(nextafterf(1.0e-3f, 0.0f)), what);
  refuse_word(t, at, float_word(nextafterf(1.0e4f, INFINITY)), what);
}

static void test_impossible_bodies(image_fixture *t) {
  const image_map *at = &t->at;
  expect_size(t, 0, SLOT_RADIUS, "radius of a sphere");
  for (int i = 0; i < 3; i++)
    expect_size(t, 1, SLOT_HALF_EXTENTS + i, "half extent of a box");
  expect_size(t, 2, SLOT_RADIUS, "radius of a capsule");
  expect_size(t, 2, SLOT_RADIUS_TOP, "upper radius of a capsule");
  expect_size(t, 2, SLOT_HALF_HEIGHT, "half height of a capsule");
  refuse_word(t, slot_word(at, 2, SLOT_RADIUS), float_word(0.75f), "a capsule with a swallowed end");
  for (int slot = 0; slot < 3; slot++) {
    for (int i = 0; i < 3; i++) {
      expect_limits(t, slot_word(at, slot, SLOT_POSITION + i), 1.0e5f, "a collider's position");
      expect_limits(t, slot_word(at, slot, SLOT_PREVIOUS_POSITION + i), 1.0e5f, "a collider's earlier position");
    }
    for (int i = 0; i < 4; i++) {
      refuse_word(t, slot_word(at, slot, SLOT_ROTATION + i), float_word(i < 3 ? 0.25f : 0.5f), "rotation");
      refuse_word(t, slot_word(at, slot, SLOT_PREVIOUS_ROTATION + i), float_word(i < 3 ? 0.25f : 0.5f), "rotation");
    }
    refuse_word(t, slot_word(at, slot, SLOT_ROTATION + 3), 0, "a rotation of length 0");
    refuse_word(t, slot_word(at, slot, SLOT_PREVIOUS_ROTATION + 3), 0, "a rotation of length 0");
    refuse_word(t, slot_word(at, slot, SLOT_STATIC_FRICTION), float_word(0.25f), "static friction below kinetic");
    refuse_word(t, slot_word(at, slot, SLOT_STATIC_FRICTION), float_word(10.5f), "static friction");
    refuse_word(t, slot_word(at, slot, SLOT_KINETIC_FRICTION), float_word(-0.5f), "kinetic friction");
    refuse_word(t, slot_word(at, slot, SLOT_KINETIC_FRICTION), float_word(0.75f), "kinetic friction above static");
  }
}

/* What a shape does not use is 0 in every cloth. */
static void test_unused_dimensions(image_fixture *t) {
  const image_map *at = &t->at;
  static const int unused_of_ball[] = {SLOT_RADIUS_TOP, SLOT_HALF_HEIGHT, SLOT_HALF_EXTENTS, SLOT_HALF_EXTENTS + 2};
  static const int unused_of_box[] = {SLOT_RADIUS, SLOT_RADIUS_TOP, SLOT_HALF_HEIGHT};
  for (size_t i = 0; i < sizeof unused_of_ball / sizeof unused_of_ball[0]; i++)
    refuse_word(t, slot_word(at, 0, unused_of_ball[i]), float_word(0.5f), "an unused dimension of a sphere");
  for (size_t i = 0; i < sizeof unused_of_box / sizeof unused_of_box[0]; i++)
    refuse_word(t, slot_word(at, 1, unused_of_box[i]), float_word(0.5f), "an unused dimension of a box");
  for (int i = 0; i < 3; i++)
    refuse_word(t, slot_word(at, 2, SLOT_HALF_EXTENTS + i), float_word(0.5f), "an unused dimension of a capsule");
}

static void test_impossible_inputs(image_fixture *t) {
  const image_map *at = &t->at;
  for (int i = 0; i < 3; i++) {
    expect_limits(t, input_word(at, INPUT_GRAVITY + i), 1.0e4f, "gravity");
    expect_limits(t, input_word(at, INPUT_WIND + i), 1.0e3f, "wind");
  }
  static const float fabric[][2] = {{0.001f, 1000.0f}, {0.0f, 1e7f}, {0.0f, 1e7f}, {0.0f, 1e7f}, {0.0f, 10.0f},
                                    {0.0f, 1.0f},      {0.0f, 1.0f}, {0.0f, 1e4f}, {0.0f, 1e4f}, {0.0f, 10.0f}};
  for (int i = 0; i < 10; i++) {
    size_t word = input_word(at, INPUT_FABRIC + i);
    accept_word(t, word, float_word(fabric[i][0]), "least of the fabric");
    accept_word(t, word, float_word(fabric[i][1]), "most of the fabric");
    refuse_word(t, word, float_word(fabric[i][0] > 0.0f ? nextafterf(fabric[i][0], 0.0f) : -1e-10f),
                "less of the fabric");
    refuse_word(t, word, float_word(nextafterf(fabric[i][1], INFINITY)), "more of the fabric");
  }
}

/* The memory of contact: numbers that are no colliders are remembered for nothing, but every number has a limit. */
static void test_impossible_touches(image_fixture *t) {
  const image_map *at = &t->at;
  for (size_t word = at->first[REGION_TOUCHES]; word < at->first[REGION_TOUCHES + 1]; word++) {
    if (!is_pad(at, word)) {
      accept_word(t, word, 0, "no contact");
      expect_limits(t, word, 1.0e12f, "a contact");
    }
  }
}

static void test_content(void) {
  cloth_config config = full_config();
  image_fixture t = image_fixture_make(&config);
  expect_content(&t, CLOTH_OK, "the image sealed by the test");
  test_impossible_floats(&t);
  test_impossible_motion(&t);
  test_impossible_history(&t);
  test_impossible_tethers(&t);
  test_impossible_substep(&t);
  test_impossible_origin(&t);
  test_impossible_sleep(&t);
  test_impossible_animation(&t);
  test_impossible_pads(&t, 1);
  test_impossible_freedoms(&t);
  test_impossible_confinements(&t);
  test_impossible_slots(&t);
  test_impossible_bodies(&t);
  test_unused_dimensions(&t);
  test_impossible_inputs(&t);
  test_impossible_touches(&t);
  image_fixture_free(&t);
}

/* The header of an image, byte by byte. */
static void test_image_header(void) {
  cloth_config config = full_config();
  image_fixture t = image_fixture_make(&config);
  CHECK(memcmp(t.image, "CLTH", 4) == 0, "an image begins with %.4s", (const char *)t.image);
  CHECK(get_word(t.image, WORD_MAGIC) == CLOTH_IMAGE_MAGIC, "the magic");
  CHECK(get_word(t.image, WORD_STATE_VERSION) == CLOTH_STATE_VERSION, "the state version");
  CHECK(get_word(t.image, WORD_NUMERICS_VERSION) == CLOTH_NUMERICS_VERSION, "the numerics version");
  CHECK(get_word(t.image, WORD_BYTES) == t.bytes, "the bytes");
  static const uint32_t counts[] = {5, 3, 4, 3};
  for (size_t i = 0; i < 4; i++)
    CHECK(get_word(t.image, WORD_COLUMNS + i) == counts[i], "count %d is %u", (int)i,
          (unsigned)get_word(t.image, WORD_COLUMNS + i));
  for (size_t word = WORD_BYTES; word <= WORD_CONFINED; word++) { /* the sizes of others, with a good hash */
    for (int change = -2; change <= 2; change++) {
      if (change == 0) continue;
      set_word(t.trial, word, get_word(t.image, word) + (uint32_t)change);
      expect_content(&t, CLOTH_ERROR_IMAGE_CONFIG, "another count");
    }
  }
  image_fixture_free(&t);
}

/* The cloth as it is now is what refusals must keep, and its image what words are changed in. */
static void take_image(image_fixture *t) {
  memcpy(t->before, t->s.arena, t->s.memory.total_bytes);
  CHECK(cloth_write_image(t->s.sheet, t->image, t->bytes) == CLOTH_OK, "image");
  memcpy(t->trial, t->image, t->bytes);
}

static void refuse_words(image_fixture *t, size_t word, const uint32_t *bits, int count, const char *what) {
  for (int i = 0; i < count; i++)
    refuse_word(t, word, bits[i], what);
}

static void test_impossible_masses(image_fixture *t) {
  const image_map *at = &t->at;
  const size_t body = at->first[REGION_BODIES], count = input_word(at, INPUT_BODIES);
  static const uint32_t counts[] = {0, 2, 3, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  static const uint32_t colliders[] = {3, 4, 64, 0x7fffffffu, 0x80000000u, 0xffffffffu}; /* 3 is free */
  CHECK(get_word(t->image, count) == 1 && get_word(t->image, body + BODY_COLLIDER) == 0, "one body, the ball");
  refuse_words(t, count, counts, 6, "a number of bodies");
  refuse_words(t, body + BODY_COLLIDER, colliders, 6, "a body of no collider");
  accept_word(t, body + BODY_COLLIDER, 2, "a body of the capsule");
  accept_word(t, body + BODY_MASS, float_word(0.5f), "half a kilogram");
  refuse_word(t, body + BODY_MASS, 0, "no mass");
  for (size_t i = BODY_MASS; i < BODY_WORDS; i++)
    refuse_impossible_floats(t, body + i, "a body");
  refuse_word(t, body + BODY_GRAVITY, float_word(1.5f), "more gravity than there is");
  refuse_word(t, body + BODY_INERTIA + 2, 0, "no inertia about one axis");
  refuse_word(t, body + BODY_VELOCITY, float_word(1.01e5f), "a fast body");
  refuse_word(t, body + BODY_SPIN, float_word(2.0e4f), "a fast spin");
  refuse_word(t, body + BODY_WORDS + BODY_MASS, float_word(1.0f), "a word of a body that is not there");
  for (size_t i = 0; i < BODY_WORDS; i++)
    set_word(t->trial, body + BODY_WORDS + i, get_word(t->image, body + i));
  refuse_word(t, count, 2, "two bodies of one collider");
  for (size_t i = 0; i < BODY_WORDS; i++)
    set_word(t->trial, body + BODY_WORDS + i, get_word(t->image, body + i));
  set_word(t->trial, body + BODY_WORDS + BODY_COLLIDER, 1);
  accept_word(t, count, 2, "two bodies");
}

static void test_impossible_attachments(image_fixture *t) {
  const image_map *at = &t->at;
  const size_t first = at->first[REGION_ATTACHMENTS], count = input_word(at, INPUT_ATTACHMENTS);
  static const uint32_t counts[] = {0, 1, 3, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  static const uint32_t particles[] = {8, 15, 0x7fffffffu, 0x80000000u, 0xffffffffu}; /* 8 is free */
  static const uint32_t colliders[] = {3, 4, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  CHECK(get_word(t->image, count) == 2, "two attachments");
  refuse_words(t, count, counts, 6, "a number of attachments");
  accept_word(t, input_word(at, INPUT_ATTACHED_TAKEN), 1, "one attachment whose momentum is taken in");
  refuse_word(t, input_word(at, INPUT_ATTACHED_TAKEN), 3, "more attachments taken in than there are");
  refuse_word(t, input_word(at, INPUT_ATTACHED_TAKEN), 0xffffffffu, "fewer attachments taken in than none");
  refuse_words(t, first + ATTACHED_PARTICLE, particles, 5, "a particle that is not held");
  refuse_word(t, first + ATTACHED_PARTICLE, get_word(t->image, first + ATTACHED_WORDS), "a particle attached twice");
  accept_word(t, first + ATTACHED_COLLIDER, 2, "attached to the capsule");
  refuse_words(t, first + ATTACHED_COLLIDER, colliders, 5, "attached to no collider");
  for (size_t i = 0; i < 3; i++) {
    refuse_impossible_floats(t, first + ATTACHED_POINT + i, "a point that is nowhere");
    expect_limits(t, first + ATTACHED_POINT + i, 1.0e5f, "a point");
  }
}

/* A sleeping cloth does not move; one that rests does so for less than the time until it sleeps. */
static void test_impossible_rest(image_fixture *t) {
  const image_map *at = &t->at;
  const size_t quiet = input_word(at, INPUT_QUIET), velocity = at->first[REGION_VELOCITY];
  accept_word(t, quiet, float_word(0.5f), "as good as asleep");
  refuse_word(t, quiet, float_word(0.51f), "at rest for too long");
  refuse_word(t, quiet, float_word(-0.25f), "at rest for less than no time");
  refuse_word(t, quiet, float_word(-1.0f), "asleep in motion");
  memset(t->trial + 4 * velocity, 0, 12 * (size_t)at->stride);
  accept_word(t, quiet, float_word(-1.0f), "asleep");
  for (size_t i = 0; i < at->used[REGION_RESTING]; i++)
    refuse_impossible_floats(t, at->first[REGION_RESTING] + i, "a reaction");
}

static void test_impossible_coupling(void) {
  cloth_config config = implicit_config();
  config.capacity.max_bodies = config.capacity.max_attachments = 2;
  config.sleep.speed = 0.05f;
  config.sleep.time = 0.5f;
  image_fixture t = image_fixture_make(&config);
  const cloth_collider ball = ball_collider();
  const cloth_body body = cloth_body_default(&ball, 1.0f);
  CHECK(cloth_set_body(t.s.sheet, 0, &body) == CLOTH_OK, "a body");
  CHECK(cloth_attach(t.s.sheet, 9, 0, NULL) == CLOTH_OK && cloth_attach(t.s.sheet, 10, 1, NULL) == CLOTH_OK,
        "attached");
  take_image(&t);
  test_impossible_masses(&t);
  test_impossible_attachments(&t);
  test_impossible_rest(&t);
  image_fixture_free(&t);
}

/* Shapes with geometry are in images of cloths that may have such, and meshes no more than there may be. */
static void test_impossible_geometry(void) {
  for (int kind = 0; kind < 3; kind++) {
    cloth_config config = implicit_config();
    config.capacity.geometry = kind == 1;
    config.capacity.meshes = kind == 2;
    image_fixture t = image_fixture_make(&config);
    for (int shape = CLOTH_SHAPE_HULL; shape <= CLOTH_SHAPE_DISTANCE_GRID; shape++) {
      const int is_mesh = shape == CLOTH_SHAPE_MESH, fits = is_mesh ? kind == 2 : kind == 1;
      for (int slot = 0; slot < 2; slot++) {
        set_word(t.trial, slot_word(&t.at, slot, SLOT_SHAPE), (uint32_t)shape);
        set_word(t.trial, slot_word(&t.at, slot, SLOT_GEOMETRY + 1), 12);
        for (int word = SLOT_RADIUS; word < SLOT_STATIC_FRICTION; word++)
          set_word(t.trial, slot_word(&t.at, slot, word), 0);
        unsigned char *changed = copy_bytes(t.trial, t.bytes);
        if (slot == 0) expect_content(&t, fits ? CLOTH_OK : CLOTH_ERROR_IMAGE_CONTENT, "a shape with geometry");
        memcpy(t.trial, changed, t.bytes);
        free(changed);
      }
      expect_content(&t, fits && !is_mesh ? CLOTH_OK : CLOTH_ERROR_IMAGE_CONTENT, "two shapes with geometry");
    }
    image_fixture_free(&t);
  }
}

static const test tests[] = {
    TEST(impossible_coupling), TEST(impossible_geometry),
    TEST(image_header),        TEST(content),
    TEST(confined_twice),      TEST(pads),
    TEST(no_tethers),          TEST(impossible_targets),
};

int main(int count, char **arguments) {
  fill_maps();
  return RUN_TESTS(count, arguments, tests);
}
