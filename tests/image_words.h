/* The words of an image: where each part of a state lies in it, reading and writing them, and their hash worked out
   independently of cloth.c. Include after support.h. SPDX-License-Identifier: MIT */
#ifndef IMAGE_WORDS_H
#define IMAGE_WORDS_H

#include "support.h"

/// Words of an image ///

/* Where things lie in an image, in words. After the header come four freedoms a word, collider slots, confinements,
   bodies, attachments, cells that touch, reactions at rest, inputs, and the vectors of the particles as x, y and z
   planes. */
enum {
  WORD_MAGIC = 0,
  WORD_STATE_VERSION = 1,
  WORD_NUMERICS_VERSION = 2,
  WORD_BYTES = 3,
  WORD_COLUMNS = 4,
  WORD_CONFINED = 7,
  WORD_CONFIG = 8,
  WORD_HASH = 10,
  HEADER_WORDS = 12
};

/* Words of a collider slot. */
enum {
  SLOT_USED,
  SLOT_SHAPE,
  SLOT_GEOMETRY, /* place, elements and hash */
  SLOT_POSITION = 6,
  SLOT_ROTATION = 9,
  SLOT_RADIUS = 13,
  SLOT_RADIUS_TOP,
  SLOT_HALF_HEIGHT,
  SLOT_HALF_EXTENTS,
  SLOT_STATIC_FRICTION = 19,
  SLOT_KINETIC_FRICTION,
  SLOT_PREVIOUS_POSITION,
  SLOT_PREVIOUS_ROTATION = 24,
  SLOT_WORDS = 28
};

/* Words of a confinement. */
enum { HELD_PARTICLE, HELD_FREEDOM, HELD_DIRECTION, HELD_ANCHOR = 5, HELD_WORDS = 8 };

/* Words of a body and of an attachment. */
enum { BODY_COLLIDER, BODY_MASS, BODY_INERTIA, BODY_VELOCITY = 5, BODY_SPIN = 8, BODY_GRAVITY = 11, BODY_WORDS };
enum { ATTACHED_PARTICLE, ATTACHED_COLLIDER, ATTACHED_POINT, ATTACHED_WORDS = 5 };

/* Words of a cell that touches; how many there are and a 0 lie before the first. There is room for one for each eight
   particles, and 24, but not for more than one for two. */
enum { CELL_KEY, CELL_SLIDES, CELL_WEIGHTS, CELL_FORCE = 4, CELL_ANCHOR = 7, CELL_WORDS = 10, CELL_HEAD = 2 };

/* Words of a collider's reaction. */
enum { REACTION_WORDS = 6 };

/* Words of the inputs. */
enum {
  INPUT_COLLIDER_END,
  INPUT_CONFINED_COUNT,
  INPUT_TETHERS_CHOSEN,
  INPUT_TARGETS,
  INPUT_BODIES,
  INPUT_ATTACHMENTS,
  INPUT_ATTACHED_TAKEN,
  INPUT_GUST_SEED,
  INPUT_SHARED_HASH,
  INPUT_GUST_PLACE = 10,
  INPUT_ORIGIN = 12,
  INPUT_EQUAL_SUBSTEPS = 15,
  INPUT_LAST_SUBSTEP,
  INPUT_GRAVITY,
  INPUT_WIND = 20,
  INPUT_GUST_STRENGTH = 23,
  INPUT_GUST_PERIOD = 26,
  INPUT_FABRIC,
  INPUT_QUIET = 37,
  INPUT_WORDS
};

/* Vectors of targets: the constraint's lengths, place now and before, normal now and before, the drive. */
enum { TARGET_DRIVE = 5, TARGET_VECTORS };

/* What a particle remembers of each of two contacts: the collider, the force and the anchor, a plane each. */
enum { TOUCH_CODE, TOUCH_FORCE, TOUCH_ANCHOR = 4, TOUCH_PLANES = 7, TOUCHES = 2 };

/* What the first word of a particle's history is where the history tells nothing. */
#define FORGOTTEN 2.0e5f

enum {
  REGION_FREEDOM,
  REGION_COLLIDERS,
  REGION_CONFINED,
  REGION_BODIES,
  REGION_ATTACHMENTS,
  REGION_CELLS,
  REGION_RESTING,
  REGION_TETHERS,
  REGION_INPUTS,
  REGION_POSITION,
  REGION_VELOCITY,
  REGION_EARLIER,
  REGION_TARGETS,
  REGION_TOUCHES,
  REGION_COUNT
};

typedef struct image_map {
  size_t first[REGION_COUNT + 1]; /* where regions begin; the last entry is the end */
  size_t used[REGION_COUNT];      /* their words; then there may be a gap, as vectors begin aligned */
  int count, colliders, confined;
  int stride; /* from one plane of a vector to the next */
} image_map;

/* Planes keep away from multiples of 2 KB. */
static inline int plane_stride(int count) {
  int over = (count + 48) % 512;
  return count < 512 || over >= 96 ? count : count + 96 - over;
}

/* Earlier velocities that a state has: with a solver one, for how springs turn; for predictions of second order two. */
static inline size_t earlier_vectors(const cloth_config *config) {
  const int has_solver = config->integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY;
  return config->integration.bdf2_blend > 0.0f ? 2 : has_solver ? 1 : 0;
}

static inline size_t cell_room(size_t columns, size_t rows) {
  const size_t count = columns * rows, lines = 3 * (columns + rows), most = count / 8 > lines ? count / 8 : lines;
  return most < count / 2 ? most : count / 2;
}

static inline image_map map_of(const cloth_config *config) {
  image_map m;
  m.count = config->columns * config->rows;
  m.stride = plane_stride(m.count);
  m.colliders = config->max_colliders;
  m.confined = config->capacity.max_confined;
  size_t n = (size_t)m.count, vector = 3 * (size_t)m.stride;
  int has_colliders = config->max_colliders + config->capacity.max_shared_bodies > 0;
  int pins = config->capacity.pin_reactions || config->capacity.max_attachments > 0;
  size_t reactions = REACTION_WORDS * (size_t)m.colliders + (pins ? 3 * n : 0);
  const size_t words[REGION_COUNT] = {
      (n + 3) / 4,
      SLOT_WORDS * (size_t)m.colliders,
      HELD_WORDS * (size_t)m.confined,
      BODY_WORDS * (size_t)config->capacity.max_bodies,
      ATTACHED_WORDS * (size_t)config->capacity.max_attachments,
      has_colliders ? CELL_HEAD + CELL_WORDS * cell_room((size_t)config->columns, (size_t)config->rows) : 0,
      config->sleep.speed > 0.0f ? reactions : 0,
      (size_t)config->tethers.count * n,
      INPUT_WORDS,
      vector,
      vector,
      earlier_vectors(config) * vector,
      config->capacity.targets ? TARGET_VECTORS * vector : 0,
      has_colliders ? TOUCHES * TOUCH_PLANES * (size_t)m.stride : 0};
  memcpy(m.used, words, sizeof m.used);
  size_t end = HEADER_WORDS;
  for (int i = 0; i < REGION_COUNT; i++) {
    if (i >= REGION_POSITION && words[i] > 0) end += (HEADER_WORDS - end) % (CLOTH_ALIGNMENT / 4);
    m.first[i] = end;
    end += words[i];
  }
  m.first[REGION_COUNT] = end;
  return m;
}

static inline size_t slot_word(const image_map *m, int slot, int word) {
  return m->first[REGION_COLLIDERS] + (size_t)(slot * SLOT_WORDS + word);
}

static inline size_t held_word(const image_map *m, int held, int word) {
  return m->first[REGION_CONFINED] + (size_t)(held * HELD_WORDS + word);
}

static inline size_t input_word(const image_map *m, int word) {
  return m->first[REGION_INPUTS] + (size_t)word;
}

static inline int region_of(const image_map *m, size_t word) {
  int region = 0;
  while (word >= m->first[region + 1])
    region++;
  return region;
}

/* Words between regions and between planes, which are 0. */
static inline int is_pad(const image_map *m, size_t word) {
  int region = region_of(m, word);
  size_t within = word - m->first[region];
  return within >= m->used[region] || (region >= REGION_POSITION && within % (size_t)m->stride >= (size_t)m->count);
}

static inline int is_float_word(const image_map *m, size_t word) {
  int region = region_of(m, word);
  size_t within = word - m->first[region];
  switch (region) {
  case REGION_FREEDOM:
  case REGION_TETHERS:
    return 0;
  case REGION_COLLIDERS:
    return within % SLOT_WORDS >= SLOT_POSITION;
  case REGION_CONFINED:
    return within % HELD_WORDS > HELD_FREEDOM;
  case REGION_BODIES:
    return within % BODY_WORDS > BODY_COLLIDER;
  case REGION_ATTACHMENTS:
    return within % ATTACHED_WORDS > ATTACHED_COLLIDER;
  case REGION_CELLS:
    return within >= CELL_HEAD && (within - CELL_HEAD) % CELL_WORDS >= CELL_WEIGHTS;
  case REGION_INPUTS:
    return within >= INPUT_LAST_SUBSTEP;
  default:
    return 1;
  }
}

static inline uint32_t get_word(const unsigned char *image, size_t word) {
  const unsigned char *b = image + 4 * word;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void set_word(unsigned char *image, size_t word, uint32_t bits) {
  for (int i = 0; i < 4; i++)
    image[4 * word + (size_t)i] = (unsigned char)(bits >> (8 * i));
}

static inline uint32_t float_word(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float word_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The hash as cloth.c defines it: four streams take the words in turn and are mixed at the end. */
static inline uint64_t mix(uint64_t stream, uint32_t word) {
  uint64_t product = (stream ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return product ^ (product >> 29);
}

static inline uint64_t hash_of_words(const unsigned char *words, size_t count) {
  uint64_t stream[4] = {0, 1, 2, 3};
  for (size_t i = 0; i < count; i++)
    stream[i % 4] = mix(stream[i % 4], get_word(words, i));
  uint64_t all = count;
  for (int i = 0; i < 4; i++)
    all = mix(all ^ stream[i], (uint32_t)(stream[i] >> 32));
  return all;
}

/* Gives an image the hash of its content, whatever that is. */
static inline void seal(unsigned char *image, size_t bytes) {
  uint64_t hash = hash_of_words(image + 4 * HEADER_WORDS, bytes / 4 - HEADER_WORDS);
  set_word(image, WORD_HASH, (uint32_t)hash);
  set_word(image, WORD_HASH + 1, (uint32_t)(hash >> 32));
}

/* Every float of a state is +0 or a finite number of at least 2^-40. */
static inline int is_canonical(uint32_t bits) {
  float size = fabsf(word_float(bits));
  return bits == 0 || (isfinite(size) && size >= 9.094947017729282e-13f);
}

static inline uint64_t hash_of(const cloth *sheet) {
  uint64_t hash = 0;
  int result = cloth_hash(sheet, &hash);
  CHECK(result == CLOTH_OK, "cloth_hash: %s", cloth_result_name(result));
  return hash;
}

#endif /* IMAGE_WORDS_H */
