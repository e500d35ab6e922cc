/* Random changes of images and saves, and what a cloth does that has accepted them. Include after saved_cloths.h.
   SPDX-License-Identifier: MIT */
#ifndef MUTATIONS_H
#define MUTATIONS_H

#include "saved_cloths.h"

static const uint32_t telling_words[] = {
    0,           1,           2,           3,           4,           5,           7,           8,
    15,          16,          0xffffffffu, 0x7fffffffu, 0x80000000u, 0x80000001u, 0x007fffffu, 0x00800000u,
    0x2b7fffffu, 0x2b800000u, 0xab800000u, 0x30800000u, 0x307fffffu, 0x7f7fffffu, 0xff7fffffu, 0x7f800000u,
    0xff800000u, 0x7fc00000u, 0xffc00000u, 0x3f800000u, 0xbf800000u, 0x3f000000u, 0x3f7fffffu, 0x3f800001u,
    0x47c35000u, 0xc7c35000u, 0x47c35001u, 0x461c4000u, 0x447a0000u, 0x41200000u, 0x3a83126fu, 0x358637bdu,
    0x7149f2cau, 0xf149f2cau, 0x4b189680u, 0x42c80000u, 0x3dcccccdu, 0xc2c80000u};

static inline uint32_t mutated_word(random_source *random, uint32_t word) {
  float value = word_float(word);
  switch (random_int(random, 0, 5)) {
  case 0:
    return (uint32_t)random_bits(random);
  case 1:
    return word ^ (UINT32_C(1) << random_int(random, 0, 31));
  case 2:
    return float_word(value * (float)random_real(random, -3.0, 3.0));
  case 3:
    value = (float)random_real(random, -1.0, 1.0);
    return float_word((float)ldexp((double)value, random_int(random, -45, 20)));
  default:
    return telling_words[random_int(random, 0, (int)(sizeof telling_words / sizeof telling_words[0]) - 1)];
  }
}

/* A word of the state, every region as likely as the others, however small. */
static inline size_t any_word(random_source *random, const image_map *at) {
  for (;;) {
    int region = random_int(random, 0, REGION_COUNT - 1);
    int words = (int)(at->first[region + 1] - at->first[region]);
    if (words > 0) return at->first[region] + (size_t)random_int(random, 0, words - 1);
  }
}

static inline void mutate_word(random_source *random, image_fixture *t) {
  size_t word = any_word(random, &t->at);
  int region = region_of(&t->at, word);
  uint32_t bits = mutated_word(random, get_word(t->trial, word));
  size_t plane = (word - t->at.first[region]) / (size_t)t->at.stride;
  if (region == REGION_TOUCHES && plane % TOUCH_PLANES == TOUCH_CODE && random_int(random, 0, 1))
    bits = float_word((float)random_int(random, -12, 12));
  set_word(t->trial, word, bits);
  if (region == REGION_TETHERS && random_int(random, 0, 1))
    set_word(t->trial, word, (uint32_t)random_int(random, -1, t->at.count));
  if (region == REGION_FREEDOM) {
    static const unsigned char freedoms[] = {0, 1, 2, 3, 4, 8, 12, 255};
    set_word(t->trial, word, get_word(t->image, word));
    size_t byte = (size_t)random_int(random, 0, 3);
    t->trial[4 * word + byte] = freedoms[random_int(random, 0, 7)];
  }
}

/* Copies what lies at one place over another of the same region: whole slots, or single words. */
static inline void mutate_by_copy(random_source *random, image_fixture *t) {
  size_t to = any_word(random, &t->at);
  int region = region_of(&t->at, to);
  size_t first = t->at.first[region], all = t->at.first[region + 1] - first, words = 1;
  words = region == REGION_COLLIDERS ? SLOT_WORDS : words;
  words = region == REGION_CONFINED ? HELD_WORDS : words;
  size_t from = first + words * (size_t)random_int(random, 0, (int)(all / words) - 1);
  to = first + (to - first) / words * words;
  for (size_t i = 0; i < words; i++)
    set_word(t->trial, to + i, get_word(t->trial, from + i));
}

/* Calls that work on what the image brought: every confinement, pin and collider is taken up and given back. */
static inline void use_everything(fixture *s, const image_map *at) {
  for (int i = 0; i < s->count; i++) {
    cloth_confine_to_line(s->sheet, i, vector_at(0.0, 1.0, 0.0));
    cloth_apply_impulse(s->sheet, i, vector_at(0.0, 1e-4, 0.0));
    if (i % 3 == 0) cloth_release(s->sheet, i);
    if (i % 4 == 1 && cloth_pin(s->sheet, i) == CLOTH_OK) cloth_move_pin(s->sheet, i, vector_at(0.0, 0.25, 0.0));
  }
  cloth_pose pose = {vector_at(0.0, 0.25, 0.125), rotation_none()};
  cloth_collider box = box_collider();
  for (int i = 0; i < at->colliders; i++) {
    cloth_reaction reaction;
    cloth_get_collider_reaction(s->sheet, i, &reaction);
    cloth_move_collider(s->sheet, i, NULL, &pose);
    cloth_add_collider(s->sheet, &box);
  }
}

static inline void read_everything(const fixture *s) {
  cloth_measures measures;
  cloth_statistics statistics;
  cloth_vector low, high;
  CHECK(cloth_measure(s->sheet, &measures) == CLOTH_OK, "measures");
  CHECK(cloth_get_statistics(s->sheet, &statistics) == CLOTH_OK, "statistics");
  CHECK(cloth_get_bounds(s->sheet, &low, &high) == CLOTH_OK, "bounds");
}

/* A step that stays finite. It may be refused as unstable, or because a pin has too far to move for its dt: without the
   moves, which cloth_pin() drops, it is not. */
static inline int steps_on(fixture *s) {
  int result = cloth_step(s->sheet, FRAME);
  if (result == CLOTH_ERROR_RANGE) {
    for (int i = 0; i < s->count; i++) {
      if (cloth_get_freedom(s->sheet, i) == 0) cloth_pin(s->sheet, i);
    }
    result = cloth_step(s->sheet, FRAME);
  }
  return (result >= 0 || result == CLOTH_ERROR_UNSTABLE) && all_finite(s->sheet);
}

/* Says how a mutated image differs from the one it was made from. */
static inline void tell_mutation(const image_fixture *t, const unsigned char *mutated) {
  for (size_t word = HEADER_WORDS; word < t->at.first[REGION_COUNT]; word++) {
    int region = region_of(&t->at, word);
    if (get_word(mutated, word) != get_word(t->image, word))
      printf("  region %d, word %d: 0x%08x (%g) was 0x%08x (%g)\n", region, (int)(word - t->at.first[region]),
             (unsigned)get_word(mutated, word), (double)word_float(get_word(mutated, word)),
             (unsigned)get_word(t->image, word), (double)word_float(get_word(t->image, word)));
  }
}

/* Changes the words of t->trial at random: as many as told, one in eight of them by a copy from elsewhere. */
static inline void mutate(random_source *random, image_fixture *t, int changes) {
  memcpy(t->trial, t->image, t->bytes);
  for (int i = 0; i < changes; i++) {
    if (random_int(random, 0, 7) == 0)
      mutate_by_copy(random, t);
    else
      mutate_word(random, t);
  }
}

/* Tries with each config of state_configs: a first argument that is a number, else `usual`. */
static inline int tries_of(int *count, char **arguments, int usual) {
  if (*count < 2 || arguments[1][0] < '0' || arguments[1][0] > '9') return usual;
  *count = 1;
  return atoi(arguments[1]);
}

#endif /* MUTATIONS_H */
