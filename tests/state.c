/* The state: what saves and images refuse and that a refusal changes nothing, that what they bring back goes on bit for
   bit, hashes, the state's constant size and canonical form, and the self-test. */
#include "support.h"

#include <fenv.h>
#if defined(__SSE__)
#include <immintrin.h>
#endif

/// Words of an image ///

/* Where things lie in an image, in words. After the header come four freedoms a word, collider slots, confinements,
   inputs, and the vectors of the particles as x, y and z planes. */
enum {
  WORD_MAGIC = 0,
  WORD_STATE_VERSION = 1,
  WORD_NUMERICS_VERSION = 2,
  WORD_BYTES = 3,
  WORD_COLUMNS = 4,
  WORD_OPTIONS = 8,
  WORD_CONFIG = 9,
  WORD_HASH = 11,
  HEADER_WORDS = 13
};

/* Words of a collider slot. */
enum {
  SLOT_USED,
  SLOT_SHAPE,
  SLOT_POSITION,
  SLOT_ROTATION = 5,
  SLOT_RADIUS = 9,
  SLOT_RADIUS_TOP,
  SLOT_HALF_HEIGHT,
  SLOT_HALF_EXTENTS,
  SLOT_STATIC_FRICTION = 15,
  SLOT_KINETIC_FRICTION,
  SLOT_PREVIOUS_POSITION,
  SLOT_PREVIOUS_ROTATION = 20,
  SLOT_WORDS = 24
};

/* Words of a confinement. */
enum { HELD_PARTICLE, HELD_FREEDOM, HELD_DIRECTION, HELD_ANCHOR = 5, HELD_WORDS = 8 };

/* Words of the inputs. */
enum {
  INPUT_COLLIDER_END,
  INPUT_CONFINED_COUNT,
  INPUT_TETHERS_CHOSEN,
  INPUT_TARGETS,
  INPUT_GUST_SEED,
  INPUT_GUST_PLACE,
  INPUT_LAST_SUBSTEP = 7,
  INPUT_GRAVITY,
  INPUT_WIND = 11,
  INPUT_GUST_STRENGTH = 14,
  INPUT_GUST_PERIOD = 17,
  INPUT_FABRIC,
  INPUT_QUIET = 29,
  INPUT_WORDS
};

/* Vectors of targets: the constraint's lengths, place now and before, normal now and before. */
enum { TARGET_VECTORS = 5 };

/* What the first word of a particle's history is where the history tells nothing. */
#define FORGOTTEN 2.0e5f

/* Kinds of contact, and the word of one. */
enum { KIND_NONE, KIND_STICK, KIND_SLIDE, KIND_RELEASED };
#define CONTACT(collider, dwell, kind) (((uint32_t)(collider) << 5) | ((uint32_t)(dwell) << 2) | (uint32_t)(kind))
#define LONGEST_DWELL 4

enum {
  REGION_FREEDOM,
  REGION_COLLIDERS,
  REGION_CONFINED,
  REGION_CONTACT,
  REGION_TETHERS,
  REGION_INPUTS,
  REGION_POSITION,
  REGION_VELOCITY,
  REGION_EARLIER,
  REGION_WARM,
  REGION_TARGETS,
  REGION_COUNT
};

typedef struct image_map {
  size_t first[REGION_COUNT + 1]; /* where regions begin; the last entry is the end */
  size_t used[REGION_COUNT];      /* their words; then there may be a gap, as vectors begin aligned */
  int count, colliders, confined;
  int stride; /* from one plane of a vector to the next */
} image_map;

/* Planes keep away from multiples of 2 KB. */
static int plane_stride(int count) {
  int over = (count + 48) % 512;
  return count < 512 || over >= 96 ? count : count + 96 - over;
}

static int has_solver(const cloth_config *config) {
  return config->integration != CLOTH_INTEGRATION_EXPLICIT_ONLY &&
         (config->integration != CLOTH_INTEGRATION_ADAPTIVE ||
          config->projection_threshold > config->explicit_threshold || config->contact_mode == CLOTH_CONTACT_SOLVER);
}

static image_map map_of(const cloth_config *config) {
  image_map m;
  m.count = config->columns * config->rows;
  m.stride = plane_stride(m.count);
  m.colliders = config->max_colliders;
  m.confined = config->max_confined;
  int warm = has_solver(config) && config->warm_start;
  int contact = has_solver(config) && config->contact_mode == CLOTH_CONTACT_SOLVER;
  size_t n = (size_t)m.count, vector = 3 * (size_t)m.stride;
  const size_t words[REGION_COUNT] = {(n + 3) / 4,
                                      SLOT_WORDS * (size_t)m.colliders,
                                      HELD_WORDS * (size_t)m.confined,
                                      contact ? n : 0,
                                      (size_t)config->tethers * n,
                                      INPUT_WORDS,
                                      vector,
                                      vector,
                                      config->extrapolation > 0.0f ? 2 * vector : 0,
                                      warm ? vector : 0,
                                      config->targets ? TARGET_VECTORS * vector : 0};
  memcpy(m.used, words, sizeof m.used);
  size_t end = HEADER_WORDS;
  for (int i = 0; i < REGION_COUNT; i++) {
    if (i >= REGION_POSITION && words[i] > 0)
      end += (HEADER_WORDS - end) % (CLOTH_ALIGNMENT / 4);
    m.first[i] = end;
    end += words[i];
  }
  m.first[REGION_COUNT] = end;
  return m;
}

static size_t slot_word(const image_map *m, int slot, int word) {
  return m->first[REGION_COLLIDERS] + (size_t)(slot * SLOT_WORDS + word);
}

static size_t held_word(const image_map *m, int held, int word) {
  return m->first[REGION_CONFINED] + (size_t)(held * HELD_WORDS + word);
}

static size_t input_word(const image_map *m, int word) {
  return m->first[REGION_INPUTS] + (size_t)word;
}

static int region_of(const image_map *m, size_t word) {
  int region = 0;
  while (word >= m->first[region + 1])
    region++;
  return region;
}

/* Words between regions and between planes, which are 0. */
static int is_pad(const image_map *m, size_t word) {
  int region = region_of(m, word);
  size_t within = word - m->first[region];
  return within >= m->used[region] || (region >= REGION_POSITION && within % (size_t)m->stride >= (size_t)m->count);
}

static int is_float_word(const image_map *m, size_t word) {
  int region = region_of(m, word);
  size_t within = word - m->first[region];
  switch (region) {
  case REGION_FREEDOM:
  case REGION_CONTACT:
  case REGION_TETHERS:
    return 0;
  case REGION_COLLIDERS:
    return within % SLOT_WORDS > SLOT_SHAPE;
  case REGION_CONFINED:
    return within % HELD_WORDS > HELD_FREEDOM;
  case REGION_INPUTS:
    return within >= INPUT_LAST_SUBSTEP;
  default:
    return 1;
  }
}

static uint32_t get_word(const unsigned char *image, size_t word) {
  const unsigned char *b = image + 4 * word;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void set_word(unsigned char *image, size_t word, uint32_t bits) {
  for (int i = 0; i < 4; i++)
    image[4 * word + (size_t)i] = (unsigned char)(bits >> (8 * i));
}

static uint32_t float_word(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float word_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The hash as cloth.c defines it: four streams take the words in turn and are mixed at the end. */
static uint64_t mix(uint64_t stream, uint32_t word) {
  uint64_t product = (stream ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return product ^ (product >> 29);
}

static uint64_t hash_of_words(const unsigned char *words, size_t count) {
  uint64_t stream[4] = {0, 1, 2, 3};
  for (size_t i = 0; i < count; i++)
    stream[i % 4] = mix(stream[i % 4], get_word(words, i));
  uint64_t all = count;
  for (int i = 0; i < 4; i++)
    all = mix(all ^ stream[i], (uint32_t)(stream[i] >> 32));
  return all;
}

/* Gives an image the hash of its content, whatever that is. */
static void seal(unsigned char *image, size_t bytes) {
  uint64_t hash = hash_of_words(image + 4 * HEADER_WORDS, bytes / 4 - HEADER_WORDS);
  set_word(image, WORD_HASH, (uint32_t)hash);
  set_word(image, WORD_HASH + 1, (uint32_t)(hash >> 32));
}

/* Every float of a state is +0 or a finite number of at least 2^-40. */
static int is_canonical(uint32_t bits) {
  float size = fabsf(word_float(bits));
  return bits == 0 || (isfinite(size) && size >= 9.094947017729282e-13f);
}

static uint64_t hash_of(const cloth *sheet) {
  uint64_t hash = 0;
  int result = cloth_hash(sheet, &hash);
  CHECK(result == CLOTH_OK, "cloth_hash: %s", cloth_result_name(result));
  return hash;
}

/// Configs ///

#define MAP_LIMIT 512

static float mass_map[MAP_LIMIT], stiffness_map[MAP_LIMIT];

/* All values are exact, so that every build computes them. */
static void fill_maps(void) {
  for (int i = 0; i < MAP_LIMIT; i++) {
    mass_map[i] = 0.5f + 0.25f * (float)(i % 4);
    stiffness_map[i] = 0.75f + 0.25f * (float)(i % 3);
  }
}

/* 15 particles: the last word of the freedoms has a byte to spare. */
static cloth_config projected_config(void) {
  cloth_config config = cloth_config_default();
  use_projection(&config);
  config.columns = 5;
  config.rows = 3;
  config.origin = vector_at(-0.5, 0.5, -0.5);
  config.drag = 0.5f;
  config.substeps = 4;
  config.max_colliders = 4;
  config.max_confined = 3;
  return config;
}

static cloth_config plain_config(void) {
  cloth_config config = projected_config();
  use_two_tiers(&config);
  config.substeps = 4;
  return config;
}

static cloth_config warm_config(void) {
  cloth_config config = plain_config();
  config.warm_start = 1;
  return config;
}

static cloth_config contact_config(void) {
  cloth_config config = plain_config();
  config.contact_mode = CLOTH_CONTACT_SOLVER;
  config.max_iterations = 20;
  return config;
}

static cloth_config map_config(void) {
  cloth_config config = plain_config();
  config.mass_map = mass_map;
  config.stiffness_map = stiffness_map;
  return config;
}

/* All three tiers, and everything that takes room. */
static cloth_config full_config(void) {
  cloth_config config = projected_config();
  config.mass_map = mass_map;
  config.stiffness_map = stiffness_map;
  config.projection_threshold = 1.0f;
  config.limit_sweeps = 12;
  config.warm_start = 1;
  config.contact_mode = CLOTH_CONTACT_SOLVER;
  config.max_iterations = 20;
  config.lift = 0.5f;
  config.normal_drag = 0.25f;
  return config;
}

/* Springs of one family on either side of the threshold. */
static cloth_config projected_map_config(void) {
  cloth_config config = projected_config();
  config.columns = 9;
  config.rows = 7;
  config.mass_map = mass_map;
  config.stiffness_map = stiffness_map;
  config.spans = 4;
  config.fine_sweeps = 2;
  config.fabric.shear_compression = 0.5f;
  config.fabric.stretch_warp = 20.0f;
  config.fabric.stretch_weft = 40.0f;
  config.fabric.shear = 10.0f;
  return config;
}

static cloth_config no_history_config(void) {
  cloth_config config = projected_config();
  config.extrapolation = 0.0f;
  config.tethers = 1;
  config.tether_scale = 1.125f;
  return config;
}

/* History, although nothing is projected. */
static cloth_config soft_config(void) {
  cloth_config config = projected_config();
  config.integration = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 100.0f;
  config.fabric.shear = 50.0f;
  config.tethers = 0;
  config.substeps = 32;
  return config;
}

/* As many particles as make planes keep apart. */
static cloth_config pads_config(void) {
  cloth_config config = projected_config();
  config.columns = 32;
  config.rows = 16;
  config.extrapolation = 0.5f;
  return config;
}

/* Two coarser grids. */
static cloth_config multilevel_config(void) {
  cloth_config config = contact_config();
  config.columns = 21;
  config.rows = 6;
  config.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
  return config;
}

static cloth_config choice_config(void) {
  cloth_config config = full_config();
  config.columns = 9;
  config.rows = 7;
  config.preconditioner = CLOTH_PRECONDITIONER_AUTOMATIC;
  config.projection_threshold = CLOTH_KAPPA_NEVER;
  return config;
}

static cloth_config explicit_config(void) {
  cloth_config config = plain_config();
  config.integration = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.fabric.stretch_warp = 100.0f;
  config.fabric.stretch_weft = 100.0f;
  config.fabric.shear = 50.0f;
  config.substeps = 32;
  return config;
}

/* Options that take no room without a solver. */
static cloth_config explicit_full_config(void) {
  cloth_config config = explicit_config();
  config.warm_start = 1;
  config.contact_mode = CLOTH_CONTACT_SOLVER;
  return config;
}

static cloth_config automatic_config(void) {
  cloth_config config = full_config();
  config.integration = CLOTH_INTEGRATION_IMPLICIT;
  config.substeps = 0;
  config.max_substeps = 6;
  return config;
}

/* No colliders, nothing confined. */
static cloth_config bare_config(void) {
  cloth_config config = plain_config();
  config.columns = 4;
  config.rows = 4;
  config.max_colliders = 0;
  config.max_confined = 0;
  return config;
}

/* Led by targets, in gusts. */
static cloth_config targets_config(void) {
  cloth_config config = projected_config();
  config.targets = 1;
  config.drag = 1.0f;
  return config;
}

/* Tubes: all springs solved for and everything that takes room, or projected. */
static cloth_config tube_config(void) {
  cloth_config config = full_config();
  config.wrap = 1;
  config.projection_threshold = CLOTH_KAPPA_NEVER;
  return config;
}

static cloth_config projected_tube_config(void) {
  cloth_config config = projected_config();
  config.wrap = 1;
  config.columns = 9;
  config.rows = 7;
  config.spans = 4;
  config.limit_sweeps = 2;
  return config;
}

typedef struct variant {
  const char *name;
  cloth_config (*config)(void);
} variant;

static const variant variants[] = {
    {"plain", plain_config},
    {"warm start", warm_config},
    {"solver contact", contact_config},
    {"maps", map_config},
    {"everything", full_config},
    {"explicit only", explicit_config},
    {"explicit only, everything", explicit_full_config},
    {"automatic substeps", automatic_config},
    {"no capacities", bare_config},
    {"projected", projected_config},
    {"projected, maps", projected_map_config},
    {"projected, no history", no_history_config},
    {"history, not projected", soft_config},
    {"planes with pads", pads_config},
    {"multilevel", multilevel_config},
    {"preconditioner chosen", choice_config},
    {"targets and gusts", targets_config},
    {"tube", tube_config},
    {"projected tube", projected_tube_config},
};

#define VARIANT_COUNT ((int)(sizeof variants / sizeof variants[0]))

/// A life ///

static cloth_collider ball_collider(void) {
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(0.0, 0.25, 0.0);
  return ball;
}

static cloth_collider box_collider(void) {
  cloth_collider box = cloth_collider_default();
  box.shape = CLOTH_SHAPE_BOX;
  box.half_extents = vector_at(0.25, 0.125, 0.5);
  box.pose.position = vector_at(0.5, 0.25, 0.0);
  return box;
}

static cloth_collider capsule_collider(void) {
  cloth_collider capsule = cloth_collider_default();
  capsule.shape = CLOTH_SHAPE_CAPSULE;
  capsule.radius = 0.125f;
  capsule.radius_top = 0.0625f;
  capsule.half_height = 0.25f;
  capsule.pose.position = vector_at(-0.5, 0.25, 0.25);
  return capsule;
}

/* Calls that use whatever the config has room for. Their results do not matter: what is full or refused is so in every
   cloth of the same state. */
static void live_start(cloth *sheet) {
  cloth_collider ball = ball_collider(), box = box_collider(), capsule = capsule_collider();
  cloth_add_collider(sheet, &ball);
  cloth_add_collider(sheet, &box);
  cloth_add_collider(sheet, &capsule);
  cloth_pin(sheet, 0);
  cloth_pin(sheet, 4);
  cloth_set_pin_velocity(sheet, 4, vector_at(0.0, 0.125, 0.25));
  cloth_confine_to_line(sheet, 2, vector_at(0.0, 2.0, 0.0));
  cloth_confine_to_plane(sheet, 7, vector_at(1.0, 1.0, 0.0));
  cloth_set_wind(sheet, vector_at(2.0, 0.0, 1.0));
  cloth_range x;
  cloth_positions(sheet, &x);
  const cloth_motion_constraint constraint = {0.125f, 0.03125f, 0.5f};
  for (int i = 0; i < x.count; i += 2) {
    if (cloth_set_motion_constraint(sheet, i, &constraint) != CLOTH_OK)
      return; /* a cloth without targets goes without gusts, too */
  }
  const cloth_gusts gusts = {{2.0f, 0.5f, 1.0f}, 0.75f, 0.5f, 11};
  cloth_set_gusts(sheet, &gusts);
}

/* Has all targets move towards a swaying plane. */
static void live_targets(cloth *sheet, double swing) {
  enum { MOST = 16 * 16 };
  cloth_vector vertices[2 * MOST];
  cloth_range x;
  cloth_positions(sheet, &x);
  for (int i = 0; i < x.count && i < MOST; i++) {
    vertices[2 * i] = vector_at(-0.5 + 0.25 * (i % 5), 0.5 + swing, -0.5 + 0.25 * (i / 5));
    vertices[2 * i + 1] = vector_at(swing, 1.0, 0.0);
  }
  const cloth_vertex_layout layout = {2 * sizeof(cloth_vector), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};
  cloth_move_targets(sheet, &layout, vertices, sizeof vertices);
}

/* One frame with calls before it. Returns what the step does. */
static int live_frame(cloth *sheet, int frame) {
  double swing = frame % 8 < 4 ? 0.0625 : -0.0625;
  if (frame % 4 == 1)
    cloth_set_pin_target(sheet, 0, vector_at(-0.5, 0.5 + swing, -0.5), FRAME);
  if (frame % 5 == 2) {
    cloth_pose pose = {vector_at(0.0, 0.25, swing), rotation_none()};
    cloth_move_collider(sheet, 0, NULL, &pose);
  }
  if (frame % 16 == 7)
    cloth_release(sheet, 2);
  if (frame % 16 == 11)
    cloth_confine_to_line(sheet, 2, vector_at(0.0, 1.0, 0.5));
  if (frame % 16 == 9)
    cloth_apply_impulse(sheet, 9, vector_at(0.0, 0.001, 0.0));
  if (frame % 3 == 1)
    live_targets(sheet, swing);
  return cloth_step(sheet, FRAME);
}

static void live(cloth *sheet, int from, int to) {
  for (int frame = from; frame < to; frame++) {
    int result = live_frame(sheet, frame);
    CHECK(result >= 0, "frame %d: %s", frame, cloth_result_name(result));
  }
}

/* A cloth in the middle of its life. */
static specimen living(const cloth_config *config) {
  specimen s = specimen_make(config);
  live_start(s.sheet);
  live(s.sheet, 0, 12);
  return s;
}

/* A cloth with its image, and its arena as it was, which every refusal must leave alone. */
typedef struct subject {
  specimen s;
  image_map at;
  unsigned char *before;
  unsigned char *image;
  unsigned char *trial; /* the image with something changed */
  size_t bytes;
} subject;

static subject subject_make(const cloth_config *config) {
  subject t;
  t.s = living(config);
  t.at = map_of(config);
  t.bytes = t.s.memory.image_bytes;
  t.before = copy_bytes(t.s.arena, t.s.memory.total_bytes);
  t.image = copy_bytes(t.s.arena, t.bytes);
  int result = cloth_write_image(t.s.sheet, t.image, t.bytes);
  CHECK(result == CLOTH_OK, "cloth_write_image: %s", cloth_result_name(result));
  CHECK(4 * t.at.first[REGION_COUNT] == t.bytes, "%d words in an image of %d bytes", (int)t.at.first[REGION_COUNT],
        (int)t.bytes);
  t.trial = copy_bytes(t.image, t.bytes);
  return t;
}

static void subject_free(subject *t) {
  free(t->before);
  free(t->image);
  free(t->trial);
  specimen_free(&t->s);
}

static int is_untouched(const subject *t) {
  return memcmp(t->s.arena, t->before, t->s.memory.total_bytes) == 0;
}

static void put_back(subject *t) {
  memcpy(t->s.arena, t->before, t->s.memory.total_bytes);
}

static void expect_refusal(subject *t, int result, int error, const char *what) {
  CHECK(result == error, "%s gave %s instead of %s", what, cloth_result_name(result), cloth_result_name(error));
  CHECK(is_untouched(t), "%s changed the arena", what);
  put_back(t);
}

#define REFUSED(subject, call, error) expect_refusal((subject), (call), (error), #call)

/// Refusals: pointers and sizes ///

/* Where outputs go that may not be written. */
typedef struct untouched {
  unsigned char *bytes, *before;
  size_t count;
} untouched;

static void expect_unwritten(const untouched *u, const char *what) {
  CHECK(memcmp(u->bytes, u->before, u->count) == 0, "%s: an output was written", what);
}

static void test_pointer_refusals(void) {
  cloth_config config = full_config();
  subject t = subject_make(&config);
  size_t saved = t.s.memory.saved_bytes;
  untouched u = {copy_bytes(t.image, t.bytes), copy_bytes(t.image, t.bytes), t.bytes};
  uint64_t hash = 77;
  unsigned char *allocation, *zeros = guarded_buffer(t.s.memory.total_bytes, 0, &allocation);
  memset(zeros, 0, t.s.memory.total_bytes);
  cloth *none = NULL, *others[] = {(cloth *)(void *)zeros, (cloth *)(void *)(t.s.arena + 1)};
  REFUSED(&t, cloth_save(none, u.bytes, saved), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_load(none, u.bytes, saved), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_write_image(none, u.bytes, t.bytes), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_read_image(none, u.bytes, t.bytes), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_hash(none, &hash), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_save(t.s.sheet, NULL, saved), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_load(t.s.sheet, NULL, saved), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_write_image(t.s.sheet, NULL, t.bytes), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_read_image(t.s.sheet, NULL, t.bytes), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_hash(t.s.sheet, NULL), CLOTH_ERROR_NULL);
  for (int i = 0; i < 2; i++) {
    REFUSED(&t, cloth_save(others[i], u.bytes, saved), CLOTH_ERROR_NOT_A_CLOTH);
    REFUSED(&t, cloth_load(others[i], u.bytes, saved), CLOTH_ERROR_NOT_A_CLOTH);
    REFUSED(&t, cloth_write_image(others[i], u.bytes, t.bytes), CLOTH_ERROR_NOT_A_CLOTH);
    REFUSED(&t, cloth_read_image(others[i], u.bytes, t.bytes), CLOTH_ERROR_NOT_A_CLOTH);
    REFUSED(&t, cloth_hash(others[i], &hash), CLOTH_ERROR_NOT_A_CLOTH);
  }
  expect_unwritten(&u, "refused for a pointer");
  CHECK(hash == 77, "a refused hash was written");
  free(allocation);
  free(u.bytes);
  free(u.before);
  subject_free(&t);
}

/* Buffers of exactly the bytes told, so that reading or writing further is seen by the sanitizers. */
static void test_short_buffers(void) {
  cloth_config config = full_config();
  subject t = subject_make(&config);
  size_t saved = t.s.memory.saved_bytes;
  unsigned char *save = copy_bytes(t.image, saved);
  CHECK(cloth_save(t.s.sheet, save, saved) == CLOTH_OK, "a save");
  const size_t save_sizes[] = {0, 1, 15, 16, 17, saved / 2, saved - 1};
  for (size_t i = 0; i < sizeof save_sizes / sizeof save_sizes[0]; i++) {
    unsigned char *part = copy_bytes(save, save_sizes[i] + 1);
    untouched u = {part, copy_bytes(part, save_sizes[i] + 1), save_sizes[i] + 1};
    REFUSED(&t, cloth_save(t.s.sheet, part, save_sizes[i]), CLOTH_ERROR_BUFFER);
    REFUSED(&t, cloth_load(t.s.sheet, part, save_sizes[i]), CLOTH_ERROR_IMAGE_SIZE);
    expect_unwritten(&u, "a short save");
    free(part);
    free(u.before);
  }
  const size_t image_sizes[] = {0, 1, 63, 64, 65, t.bytes / 2, t.bytes - 1};
  for (size_t i = 0; i < sizeof image_sizes / sizeof image_sizes[0]; i++) {
    unsigned char *part = copy_bytes(t.image, image_sizes[i] + 1);
    untouched u = {part, copy_bytes(part, image_sizes[i] + 1), image_sizes[i] + 1};
    REFUSED(&t, cloth_write_image(t.s.sheet, part, image_sizes[i]), CLOTH_ERROR_BUFFER);
    REFUSED(&t, cloth_read_image(t.s.sheet, part, image_sizes[i]), CLOTH_ERROR_IMAGE_SIZE);
    expect_unwritten(&u, "a short image");
    free(part);
    free(u.before);
  }
  free(save);
  subject_free(&t);
}

/// Refusals: damage ///

/* The result a changed word of an image has, its hash left as it was. */
static int result_of_damage(size_t word) {
  if (word == WORD_MAGIC)
    return CLOTH_ERROR_IMAGE_MAGIC;
  if (word == WORD_STATE_VERSION)
    return CLOTH_ERROR_IMAGE_VERSION;
  if (word == WORD_NUMERICS_VERSION)
    return CLOTH_ERROR_IMAGE_NUMERICS;
  if (word < WORD_CONFIG)
    return CLOTH_ERROR_IMAGE_SIZE;
  return word < WORD_HASH ? CLOTH_ERROR_IMAGE_CONFIG : CLOTH_ERROR_IMAGE_DAMAGED;
}

/* Every bit of a word: refused for the right reason, nothing touched. Which error a word without a meaning has is not
   said. */
static void expect_word_guarded(subject *t, size_t word, const char *name) {
  int expected = result_of_damage(word), wrong = 0, touched = 0, example = expected;
  for (int bit = 0; bit < 32; bit++) {
    set_word(t->trial, word, get_word(t->image, word) ^ (UINT32_C(1) << bit));
    int result = cloth_read_image(t->s.sheet, t->trial, t->bytes);
    int right = result == expected;
    wrong += !right;
    example = right ? example : result;
    touched += !is_untouched(t);
    put_back(t);
  }
  set_word(t->trial, word, get_word(t->image, word));
  CHECK(wrong == 0, "%s, word %d: %d of 32 flipped bits gave the like of %s instead of %s", name, (int)word, wrong,
        cloth_result_name(example), cloth_result_name(expected));
  CHECK(touched == 0, "%s, word %d: %d of 32 flipped bits changed the arena", name, (int)word, touched);
}

static cloth_config tiny_config(cloth_config config) {
  config.columns = 2;
  config.rows = 2;
  config.max_colliders = 1;
  config.max_confined = 1;
  return config;
}

static void test_every_bit(const char *name, cloth_config config) {
  config = tiny_config(config);
  subject t = subject_make(&config);
  for (size_t word = 0; word < t.at.first[REGION_COUNT]; word++)
    expect_word_guarded(&t, word, name);
  CHECK(cloth_read_image(t.s.sheet, t.trial, t.bytes) == CLOTH_OK, "the image as it was");
  subject_free(&t);
}

static void test_save_header(void) {
  cloth_config config = plain_config();
  subject t = subject_make(&config);
  size_t saved = t.s.memory.saved_bytes;
  unsigned char *save = copy_bytes(t.image, saved);
  CHECK(cloth_save(t.s.sheet, save, saved) == CLOTH_OK, "a save");
  static const int errors[] = {CLOTH_ERROR_IMAGE_MAGIC, CLOTH_ERROR_IMAGE_SIZE, CLOTH_ERROR_IMAGE_CONFIG,
                               CLOTH_ERROR_IMAGE_CONFIG};
  for (size_t bit = 0; bit < 128; bit++) {
    save[bit / 8] ^= (unsigned char)(1 << bit % 8);
    REFUSED(&t, cloth_load(t.s.sheet, save, saved), errors[bit / 32]);
    save[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  REFUSED(&t, cloth_load(t.s.sheet, t.image, t.bytes), CLOTH_ERROR_IMAGE_MAGIC);
  REFUSED(&t, cloth_read_image(t.s.sheet, save, saved), CLOTH_ERROR_IMAGE_MAGIC);
  CHECK(cloth_load(t.s.sheet, save, saved) == CLOTH_OK && is_untouched(&t), "the save as it was");
  free(save);
  subject_free(&t);
}

/// Refusals: another config ///

/* A save and an image of a cloth of another config are refused by the subject. */
static void expect_foreign(subject *t, const cloth_config *config, int save_error, int image_error, const char *what) {
  specimen other = specimen_make(config);
  size_t saved = other.memory.saved_bytes, bytes = other.memory.image_bytes;
  unsigned char *save = copy_bytes(other.arena, saved), *image = copy_bytes(other.arena, bytes);
  CHECK(cloth_save(other.sheet, save, saved) == CLOTH_OK, "%s: save", what);
  CHECK(cloth_write_image(other.sheet, image, bytes) == CLOTH_OK, "%s: image", what);
  expect_refusal(t, cloth_load(t->s.sheet, save, saved), save_error, what);
  expect_refusal(t, cloth_read_image(t->s.sheet, image, bytes), image_error, what);
  free(save);
  free(image);
  specimen_free(&other);
}

#define FOREIGN(subject, change, save_error, image_error)                                                              \
  do {                                                                                                                 \
    cloth_config other = full_config();                                                                                \
    other.change;                                                                                                      \
    expect_foreign((subject), &other, (save_error), (image_error), #change);                                           \
  } while (0)

#define OTHER_CONFIG(subject, change) FOREIGN(subject, change, CLOTH_ERROR_IMAGE_CONFIG, CLOTH_ERROR_IMAGE_CONFIG)
#define OTHER_SIZE(subject, change) FOREIGN(subject, change, CLOTH_ERROR_IMAGE_SIZE, CLOTH_ERROR_IMAGE_SIZE)

static void test_other_settings(void) {
  cloth_config config = full_config();
  subject t = subject_make(&config);
  OTHER_CONFIG(&t, substeps = 5);
  OTHER_CONFIG(&t, max_substeps = 17);
  OTHER_CONFIG(&t, max_iterations = 21);
  OTHER_CONFIG(&t, tolerance = 2.0e-3f);
  OTHER_CONFIG(&t, preconditioner = CLOTH_PRECONDITIONER_NONE);
  OTHER_CONFIG(&t, integration = CLOTH_INTEGRATION_IMPLICIT);
  OTHER_CONFIG(&t, bend_integration = CLOTH_BEND_EXPLICIT);
  OTHER_CONFIG(&t, fold_stiffness = 101.0f);
  OTHER_CONFIG(&t, explicit_threshold = 0.1f);
  OTHER_CONFIG(&t, max_speed = 299.0f);
  OTHER_CONFIG(&t, velocity_damping = 0.2f);
  OTHER_CONFIG(&t, air_density = 1.1f);
  OTHER_CONFIG(&t, drag = 0.25f);
  OTHER_CONFIG(&t, lift = 0.25f);
  OTHER_CONFIG(&t, normal_drag = 0.5f);
  OTHER_CONFIG(&t, projection_threshold = 2.0f);
  OTHER_CONFIG(&t, extrapolation = 0.5f);
  OTHER_CONFIG(&t, spans = 2);
  OTHER_CONFIG(&t, fine_sweeps = 3);
  OTHER_CONFIG(&t, tether_scale = 1.5f);
  OTHER_CONFIG(&t, limit_sweeps = 11);
  OTHER_CONFIG(&t, limit_extension = 0.007f);
  OTHER_CONFIG(&t, limit_compression = 0.5f);
  OTHER_CONFIG(&t, thickness = 0.02f);
  OTHER_CONFIG(&t, wrap = 1);
  OTHER_CONFIG(&t, edge_warp.x = 1.5f);
  OTHER_CONFIG(&t, edge_weft.z = 1.5f);
  OTHER_CONFIG(&t, mass_map = NULL);
  OTHER_CONFIG(&t, stiffness_map = NULL);
  OTHER_SIZE(&t, columns = 4);
  OTHER_SIZE(&t, rows = 4);
  OTHER_SIZE(&t, max_colliders = 3);
  OTHER_SIZE(&t, max_confined = 4);
  OTHER_SIZE(&t, warm_start = 0);
  OTHER_SIZE(&t, extrapolation = 0.0f);
  OTHER_SIZE(&t, tethers = 1);
  OTHER_SIZE(&t, tethers = 0);
  OTHER_SIZE(&t, contact_mode = CLOTH_CONTACT_PROJECTION);
  subject_free(&t);
}

/* One value of a map tells two configs apart; as many particles in another shape are another grid. */
static void test_other_maps_and_shape(void) {
  cloth_config config = full_config();
  subject t = subject_make(&config);
  float map[MAP_LIMIT];
  memcpy(map, mass_map, sizeof map);
  map[14] += 0.25f;
  OTHER_CONFIG(&t, mass_map = map);
  memcpy(map, stiffness_map, sizeof map);
  map[3] += 0.25f;
  OTHER_CONFIG(&t, stiffness_map = map);
  config.columns = 3;
  config.rows = 5;
  expect_foreign(&t, &config, CLOTH_ERROR_IMAGE_CONFIG, CLOTH_ERROR_IMAGE_SIZE, "3 x 5 for 5 x 3");
  subject_free(&t);
}

/* Gravity, wind, fabric and places are of the state: configs that differ in them exchange it. */
static void test_inputs_are_state(void) {
  cloth_config config = full_config();
  subject t = subject_make(&config);
  config.gravity = vector_at(1.0, 2.0, 3.0);
  config.wind = vector_at(3.0, 2.0, 1.0);
  config.origin = vector_at(5.0, 5.0, 5.0);
  config.fabric.stretch_warp = 500.0f;
  config.fabric.bend = 1e-4f;
  specimen other = specimen_make(&config);
  CHECK(cloth_read_image(other.sheet, t.image, t.bytes) == CLOTH_OK, "an image");
  CHECK(same_state(&t.s, &other), "the states differ");
  specimen_free(&other);
  subject_free(&t);
}

/// Refusals: impossible content ///

/* Takes an image with some words changed and sealed again, and expects a result of it. Undoes everything. */
static void expect_content(subject *t, int expected, const char *what) {
  seal(t->trial, t->bytes);
  int result = cloth_read_image(t->s.sheet, t->trial, t->bytes);
  CHECK(result == expected, "%s gave %s instead of %s", what, cloth_result_name(result), cloth_result_name(expected));
  if (result != CLOTH_OK)
    CHECK(is_untouched(t), "%s changed the arena", what);
  put_back(t);
  memcpy(t->trial, t->image, t->bytes);
}

static void refuse_word(subject *t, size_t word, uint32_t bits, const char *what) {
  set_word(t->trial, word, bits);
  expect_content(t, CLOTH_ERROR_IMAGE_CONTENT, what);
}

static void accept_word(subject *t, size_t word, uint32_t bits, const char *what) {
  set_word(t->trial, word, bits);
  expect_content(t, CLOTH_OK, what);
}

/* What no float of a state can be, wherever it lies. */
static void test_impossible_floats(subject *t) {
  static const uint32_t never[] = {0x7fc00000u, 0xffc00001u, 0x7f800001u, 0x7f800000u, 0xff800000u, 0x80000000u,
                                   0x00000001u, 0x807fffffu, 0x00800000u, 0x2b7fffffu, 0xab7fffffu, 0x7f7fffffu};
  for (size_t word = HEADER_WORDS; word < t->at.first[REGION_COUNT]; word++) {
    int region = region_of(&t->at, word);
    int free_slot = region == REGION_COLLIDERS && word >= slot_word(&t->at, 3, 0);
    int free_held = region == REGION_CONFINED && word >= held_word(&t->at, 2, 0);
    if (!is_float_word(&t->at, word) || free_slot || free_held)
      continue;
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
      char what[64];
      snprintf(what, sizeof what, "0x%08x in region %d, word %d", (unsigned)never[i], region,
               (int)(word - t->at.first[region]));
      refuse_word(t, word, never[i], what);
    }
  }
}

static void expect_limits(subject *t, size_t word, float limit, const char *what) {
  accept_word(t, word, float_word(limit), what);
  accept_word(t, word, float_word(-limit), what);
  refuse_word(t, word, float_word(nextafterf(limit, INFINITY)), what);
  refuse_word(t, word, float_word(-nextafterf(limit, INFINITY)), what);
}

static void test_impossible_motion(subject *t) {
  const image_map *at = &t->at;
  for (int region = REGION_POSITION; region <= REGION_VELOCITY; region++) {
    for (size_t i = 0; i < 3 * (size_t)at->count; i++)
      expect_limits(t, at->first[region] + i, 1.0e5f, region == REGION_POSITION ? "position" : "velocity");
  }
}

/* The first plane alone may say that a history is forgotten; a history in use is one of velocities. */
static void test_impossible_history(subject *t) {
  const image_map *at = &t->at;
  size_t first = at->first[REGION_EARLIER];
  for (int i = 0; i < 6 * at->stride; i++) {
    if (i < at->count)
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

static void test_impossible_tethers(subject *t) {
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

static void test_impossible_substep(subject *t) {
  size_t last = input_word(&t->at, INPUT_LAST_SUBSTEP);
  accept_word(t, last, 0, "no substep yet");
  accept_word(t, last, float_word(1.0f), "the longest substep");
  accept_word(t, last, float_word(1.0e-6f / 1024.0f), "the shortest substep");
  refuse_word(t, last, float_word(nextafterf(1.0f, 2.0f)), "a substep too long");
  refuse_word(t, last, float_word(-1.0e-3f), "a substep backwards");
}

/* Without room for them there are no targets, and without a period no gusts. */
static void test_impossible_animation(subject *t) {
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
  subject t = subject_make(&config);
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
  subject_free(&t);
}

/* A cloth that never sleeps counts no time towards it. */
static void test_impossible_sleep(subject *t) {
  size_t quiet = input_word(&t->at, INPUT_QUIET);
  accept_word(t, quiet, 0, "awake");
  refuse_word(t, quiet, float_word(0.1f), "nearly asleep");
  refuse_word(t, quiet, float_word(-1.0f), "asleep");
}

/* Between regions and planes there is nothing. */
static void test_impossible_pads(subject *t, int expected) {
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
  subject t = subject_make(&config);
  test_impossible_pads(&t, 12 * 48);
  subject_free(&t);
}

/* Without tethers there is nothing to choose. */
static void test_no_tethers(void) {
  cloth_config config = plain_config();
  subject t = subject_make(&config);
  refuse_word(&t, input_word(&t.at, INPUT_TETHERS_CHOSEN), 1, "tethers chosen that are not there");
  subject_free(&t);
}

static void set_freedom(subject *t, int particle, unsigned char freedom) {
  t->trial[4 * t->at.first[REGION_FREEDOM] + (size_t)particle] = freedom;
}

static void test_impossible_freedoms(subject *t) {
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

static void test_impossible_confinements(subject *t) {
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
  config.max_confined = 2;
  specimen s = specimen_make(&config);
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
  specimen_free(&s);
}

static void test_impossible_slots(subject *t) {
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

static void expect_size(subject *t, int slot, int word, const char *what) {
  size_t at = slot_word(&t->at, slot, word);
  refuse_word(t, at, 0, what);
  refuse_word(t, at, float_word(-0.25f), what);
  refuse_word(t, at, float_word(nextafterf(1.0e-3f, 0.0f)), what);
  refuse_word(t, at, float_word(nextafterf(1.0e4f, INFINITY)), what);
}

static void test_impossible_bodies(subject *t) {
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
static void test_unused_dimensions(subject *t) {
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

static void test_impossible_inputs(subject *t) {
  const image_map *at = &t->at;
  for (int i = 0; i < 3; i++) {
    expect_limits(t, input_word(at, INPUT_GRAVITY + i), 1.0e4f, "gravity");
    expect_limits(t, input_word(at, INPUT_WIND + i), 1.0e3f, "wind");
  }
  static const float fabric[][2] = {{0.001f, 1000.0f}, {0.0f, 1e7f},  {0.0f, 1e7f}, {0.0f, 1e7f},
                                    {0.0f, 10.0f},     {1e-6f, 0.5f}, {0.0f, 1.0f}, {0.0f, 1.0f},
                                    {0.0f, 1e4f},      {0.0f, 1e4f},  {0.0f, 1e4f}};
  for (int i = 0; i < 11; i++) {
    size_t word = input_word(at, INPUT_FABRIC + i);
    accept_word(t, word, float_word(fabric[i][0]), "least of the fabric");
    accept_word(t, word, float_word(fabric[i][1]), "most of the fabric");
    refuse_word(t, word, float_word(fabric[i][0] > 0.0f ? nextafterf(fabric[i][0], 0.0f) : -1e-10f),
                "less of the fabric");
    refuse_word(t, word, float_word(nextafterf(fabric[i][1], INFINITY)), "more of the fabric");
  }
}

static void test_impossible_contacts(subject *t) {
  const image_map *at = &t->at;
  for (size_t word = at->first[REGION_CONTACT]; word < at->first[REGION_CONTACT + 1]; word++) {
    accept_word(t, word, 0, "no contact");
    for (int collider = 0; collider < 3; collider++) {
      for (int kind = KIND_STICK; kind <= KIND_RELEASED; kind++)
        accept_word(t, word, CONTACT(collider, 0, kind), "a contact");
      accept_word(t, word, CONTACT(collider, LONGEST_DWELL, KIND_SLIDE), "a contact");
      refuse_word(t, word, CONTACT(collider, LONGEST_DWELL + 1, KIND_SLIDE), "a contact's dwell");
      refuse_word(t, word, CONTACT(collider, 7, KIND_SLIDE), "a contact's dwell");
      refuse_word(t, word, CONTACT(collider, 1, KIND_NONE), "a contact of no kind");
    }
    refuse_word(t, word, CONTACT(3, 0, KIND_STICK), "a contact with an unused collider");
    refuse_word(t, word, CONTACT(4, 0, KIND_STICK), "a contact with a collider there is no room for");
    refuse_word(t, word, CONTACT(1, 0, KIND_NONE), "a contact of no kind");
    refuse_word(t, word, 0x80000001u, "a contact with collider 2^26");
    refuse_word(t, word, 0xffffffffu, "a contact with the last collider");
  }
}

static void test_content(void) {
  cloth_config config = full_config();
  subject t = subject_make(&config);
  expect_content(&t, CLOTH_OK, "the image sealed by the test");
  test_impossible_floats(&t);
  test_impossible_motion(&t);
  test_impossible_history(&t);
  test_impossible_tethers(&t);
  test_impossible_substep(&t);
  test_impossible_sleep(&t);
  test_impossible_animation(&t);
  test_impossible_pads(&t, 1);
  test_impossible_freedoms(&t);
  test_impossible_confinements(&t);
  test_impossible_slots(&t);
  test_impossible_bodies(&t);
  test_unused_dimensions(&t);
  test_impossible_inputs(&t);
  test_impossible_contacts(&t);
  subject_free(&t);
}

/// Acceptance ///

/* A cloth of the same config that has lived differently, in an arena that lies differently. */
static specimen stranger(const cloth_config *config, size_t shift) {
  specimen s = specimen_make(config);
  free(s.allocation);
  s.arena = guarded_buffer(s.memory.total_bytes, shift, &s.allocation);
  memset(s.arena, 0x3e, s.memory.total_bytes);
  int result = cloth_init(config, s.arena, s.memory.total_bytes, &s.sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  cloth_collider capsule = capsule_collider();
  for (int i = 0; i < config->max_colliders; i++)
    cloth_add_collider(s.sheet, &capsule);
  for (int i = 0; i < config->max_confined; i++)
    cloth_confine_to_plane(s.sheet, 5 + i, vector_at(0.0, 0.0, 1.0));
  cloth_pin(s.sheet, 3);
  run_steps(s.sheet, 3, FRAME);
  return s;
}

enum { FUTURE = 50 };

static void expect_future(specimen *s, const uint64_t *hashes, const char *name, const char *how) {
  int different = 0;
  for (int i = 0; i < FUTURE; i++) {
    live_frame(s->sheet, 12 + i);
    different += hash_of(s->sheet) != hashes[i];
  }
  CHECK(different == 0, "%s: %d of %d frames differ after %s", name, different, (int)FUTURE, how);
}

/* A buffer of exactly `bytes` bytes at an address that is `odd` above a multiple of 32. */
static unsigned char *odd_buffer(size_t bytes, size_t odd, unsigned char **allocation) {
  unsigned char *buffer = guarded_buffer(bytes + odd, 0, allocation) + odd;
  memset(buffer, 0x99, bytes);
  return buffer;
}

/* Writes, checks that no byte around was touched, and reads into a stranger; by image or by save. */
static void expect_exchange(const specimen *from, const cloth_config *config, const uint64_t *hashes, int by_image,
                            size_t odd, const char *name) {
  const char *how = by_image ? "an image" : "a save";
  size_t bytes = by_image ? from->memory.image_bytes : from->memory.saved_bytes;
  unsigned char *allocation, *buffer = odd_buffer(bytes, odd, &allocation);
  int result = by_image ? cloth_write_image(from->sheet, buffer, bytes) : cloth_save(from->sheet, buffer, bytes);
  CHECK(result == CLOTH_OK, "%s: writing %s: %s", name, how, cloth_result_name(result));
  CHECK(guards_intact(buffer - odd, bytes + odd), "%s: %s overran its buffer", name, how);
  unsigned char *copy = copy_bytes(buffer, bytes);
  specimen other = stranger(config, 1 + odd % 3);
  result = by_image ? cloth_read_image(other.sheet, buffer, bytes) : cloth_load(other.sheet, buffer, bytes);
  CHECK(result == CLOTH_OK, "%s: reading %s: %s", name, how, cloth_result_name(result));
  CHECK(same_state(from, &other), "%s: another state after %s", name, how);
  CHECK(memcmp(copy, buffer, bytes) == 0, "%s: reading changed %s", name, how);
  CHECK(hash_of(from->sheet) == hash_of(other.sheet), "%s: another hash after %s", name, how);
  result = by_image ? cloth_write_image(other.sheet, buffer, bytes) : cloth_save(other.sheet, buffer, bytes);
  CHECK(result == CLOTH_OK && memcmp(copy, buffer, bytes) == 0, "%s: %s of what came from it differs", name, how);
  expect_future(&other, hashes, name, how);
  free(copy);
  free(allocation);
  specimen_free(&other);
}

static void test_exchange(const variant *v) {
  cloth_config config = v->config();
  specimen s = living(&config);
  unsigned char *now = copy_bytes(s.arena, s.memory.total_bytes);
  unsigned char *save = copy_bytes(s.arena, s.memory.saved_bytes), *image = copy_bytes(s.arena, s.memory.image_bytes);
  CHECK(cloth_save(s.sheet, save, s.memory.saved_bytes) == CLOTH_OK, "%s: save", v->name);
  CHECK(cloth_write_image(s.sheet, image, s.memory.image_bytes) == CLOTH_OK, "%s: image", v->name);
  CHECK(memcmp(now, s.arena, s.memory.total_bytes) == 0, "%s: writing changed the arena", v->name);
  uint64_t hashes[FUTURE];
  for (int i = 0; i < FUTURE; i++) {
    int result = live_frame(s.sheet, 12 + i);
    CHECK(result >= 0, "%s: frame %d: %s", v->name, i, cloth_result_name(result));
    hashes[i] = hash_of(s.sheet);
  }
  CHECK(cloth_load(s.sheet, save, s.memory.saved_bytes) == CLOTH_OK, "%s: load", v->name);
  CHECK(memcmp(now + s.memory.state_offset, specimen_state(&s), s.memory.state_bytes) == 0, "%s: loaded", v->name);
  expect_future(&s, hashes, v->name, "a save of its own");
  CHECK(cloth_read_image(s.sheet, image, s.memory.image_bytes) == CLOTH_OK, "%s: read", v->name);
  CHECK(memcmp(now + s.memory.state_offset, specimen_state(&s), s.memory.state_bytes) == 0, "%s: read", v->name);
  for (size_t odd = 0; odd < 4; odd++) {
    expect_exchange(&s, &config, hashes, 0, odd, v->name);
    expect_exchange(&s, &config, hashes, 1, odd, v->name);
  }
  expect_future(&s, hashes, v->name, "an image of its own");
  free(now);
  free(save);
  free(image);
  specimen_free(&s);
}

/* Longer buffers are as good; a state may be written at any moment, so right after cloth_init(), too. */
static void test_fresh_exchange(const variant *v) {
  cloth_config config = v->config();
  specimen a = specimen_make(&config), b = stranger(&config, 2);
  size_t bytes = a.memory.image_bytes + 9;
  unsigned char *buffer = copy_bytes(a.arena, bytes);
  CHECK(cloth_write_image(a.sheet, buffer, bytes) == CLOTH_OK, "%s: image", v->name);
  CHECK(cloth_read_image(b.sheet, buffer, bytes) == CLOTH_OK && same_state(&a, &b), "%s: fresh image", v->name);
  run_steps(b.sheet, 1, FRAME);
  CHECK(cloth_save(a.sheet, buffer, bytes) == CLOTH_OK, "%s: save", v->name);
  CHECK(cloth_load(b.sheet, buffer, bytes) == CLOTH_OK && same_state(&a, &b), "%s: fresh save", v->name);
  free(buffer);
  specimen_free(&a);
  specimen_free(&b);
}

/* The image of any state can be read, also of one between a removed collider and the next step. */
static void test_image_after_removal(void) {
  cloth_config config = contact_config();
  specimen s = specimen_make(&config);
  image_map at = map_of(&config);
  cloth_collider ball = ball_collider();
  int index = cloth_add_collider(s.sheet, &ball);
  unsigned char *image = copy_bytes(s.arena, s.memory.image_bytes);
  int contacts = 0;
  for (int frame = 0; frame < 60 && contacts == 0; frame++) {
    cloth_step(s.sheet, FRAME);
    cloth_write_image(s.sheet, image, s.memory.image_bytes);
    for (size_t word = at.first[REGION_CONTACT]; word < at.first[REGION_CONTACT + 1]; word++)
      contacts += get_word(image, word) != 0;
  }
  CHECK(contacts > 0, "the cloth never touched the ball");
  cloth_remove_collider(s.sheet, index);
  cloth_write_image(s.sheet, image, s.memory.image_bytes);
  int result = cloth_read_image(s.sheet, image, s.memory.image_bytes);
  CHECK(result == CLOTH_OK, "a cloth refuses its own image after its collider was removed: %s",
        cloth_result_name(result));
  free(image);
  specimen_free(&s);
}

/// Mutations ///

static const uint32_t telling_words[] = {
    0,           1,           2,           3,           4,           5,           7,           8,
    15,          16,          0xffffffffu, 0x7fffffffu, 0x80000000u, 0x80000001u, 0x007fffffu, 0x00800000u,
    0x2b7fffffu, 0x2b800000u, 0xab800000u, 0x30800000u, 0x307fffffu, 0x7f7fffffu, 0xff7fffffu, 0x7f800000u,
    0xff800000u, 0x7fc00000u, 0xffc00000u, 0x3f800000u, 0xbf800000u, 0x3f000000u, 0x3f7fffffu, 0x3f800001u,
    0x47c35000u, 0xc7c35000u, 0x47c35001u, 0x461c4000u, 0x447a0000u, 0x41200000u, 0x3a83126fu, 0x358637bdu,
    0x7149f2cau, 0xf149f2cau, 0x4b189680u, 0x42c80000u, 0x3dcccccdu, 0xc2c80000u};

static uint32_t mutated_word(random_source *random, uint32_t word) {
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
static size_t any_word(random_source *random, const image_map *at) {
  for (;;) {
    int region = random_int(random, 0, REGION_COUNT - 1);
    int words = (int)(at->first[region + 1] - at->first[region]);
    if (words > 0)
      return at->first[region] + (size_t)random_int(random, 0, words - 1);
  }
}

static void mutate_word(random_source *random, subject *t) {
  size_t word = any_word(random, &t->at);
  int region = region_of(&t->at, word);
  uint32_t bits = mutated_word(random, get_word(t->trial, word));
  if (region == REGION_CONTACT && random_int(random, 0, 1)) {
    int collider = random_int(random, 0, 4), dwell = random_int(random, 0, 5), kind = random_int(random, 0, 3);
    bits = CONTACT(collider, dwell, kind);
  }
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
static void mutate_by_copy(random_source *random, subject *t) {
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
static void use_everything(specimen *s, const image_map *at) {
  for (int i = 0; i < s->count; i++) {
    cloth_confine_to_line(s->sheet, i, vector_at(0.0, 1.0, 0.0));
    cloth_apply_impulse(s->sheet, i, vector_at(0.0, 1e-4, 0.0));
    if (i % 3 == 0)
      cloth_release(s->sheet, i);
    if (i % 4 == 1 && cloth_pin(s->sheet, i) == CLOTH_OK)
      cloth_set_pin_target(s->sheet, i, vector_at(0.0, 0.25, 0.0), FRAME);
  }
  cloth_pose pose = {vector_at(0.0, 0.25, 0.125), rotation_none()};
  cloth_collider box = box_collider();
  for (int i = 0; i < at->colliders; i++) {
    cloth_reaction reaction;
    cloth_collider_reaction(s->sheet, i, &reaction);
    cloth_move_collider(s->sheet, i, NULL, &pose);
    cloth_add_collider(s->sheet, &box);
  }
}

static void read_everything(const specimen *s) {
  cloth_measures measures;
  cloth_statistics statistics;
  cloth_vector low, high;
  CHECK(cloth_measure(s->sheet, &measures) == CLOTH_OK, "measures");
  CHECK(cloth_get_statistics(s->sheet, &statistics) == CLOTH_OK, "statistics");
  CHECK(cloth_bounds(s->sheet, &low, &high) == CLOTH_OK, "bounds");
}

/* What an image was accepted for: frames that stay finite, calls, and an image that is accepted again. */
static int lives_on(subject *t) {
  specimen *s = &t->s;
  for (int frame = 0; frame < 3; frame++) {
    int result = cloth_step(s->sheet, FRAME);
    if ((result < 0 && result != CLOTH_ERROR_UNSTABLE) || !all_finite(s->sheet))
      return 0;
  }
  read_everything(s);
  cloth_write_image(s->sheet, t->trial, t->bytes);
  if (cloth_read_image(s->sheet, t->trial, t->bytes) != CLOTH_OK)
    return 0;
  use_everything(s, &t->at);
  cloth_write_image(s->sheet, t->trial, t->bytes);
  if (cloth_read_image(s->sheet, t->trial, t->bytes) != CLOTH_OK)
    return 0;
  int result = cloth_step(s->sheet, FRAME);
  return (result >= 0 || result == CLOTH_ERROR_UNSTABLE) && all_finite(s->sheet);
}

/* Says how a mutated image differs from the one it was made from. */
static void tell_mutation(const subject *t, const unsigned char *mutated) {
  for (size_t word = HEADER_WORDS; word < t->at.first[REGION_COUNT]; word++) {
    int region = region_of(&t->at, word);
    if (get_word(mutated, word) != get_word(t->image, word))
      printf("  region %d, word %d: 0x%08x (%g) was 0x%08x (%g)\n", region, (int)(word - t->at.first[region]),
             (unsigned)get_word(mutated, word), (double)word_float(get_word(mutated, word)),
             (unsigned)get_word(t->image, word), (double)word_float(get_word(t->image, word)));
  }
}

/* One mutated image. Returns 1 if it was accepted. */
static int try_mutation(subject *t, random_source *random, const char *name, int number) {
  memcpy(t->trial, t->image, t->bytes);
  int changes = random_int(random, 1, 4);
  for (int i = 0; i < changes; i++) {
    if (random_int(random, 0, 7) == 0)
      mutate_by_copy(random, t);
    else
      mutate_word(random, t);
  }
  seal(t->trial, t->bytes);
  unsigned char *mutated = copy_bytes(t->trial, t->bytes);
  int result = cloth_read_image(t->s.sheet, t->trial, t->bytes);
  int accepted = result == CLOTH_OK, good = accepted;
  if (accepted)
    good = lives_on(t);
  else
    CHECK(result == CLOTH_ERROR_IMAGE_CONTENT && is_untouched(t), "%s, mutation %d: %s", name, number,
          cloth_result_name(result));
  CHECK(good || !accepted, "%s, mutation %d was accepted and did not live on", name, number);
  CHECK(guards_intact(t->s.arena, t->s.memory.total_bytes), "%s, mutation %d: wrote outside", name, number);
  if (accepted && !good)
    tell_mutation(t, mutated);
  free(mutated);
  put_back(t);
  return accepted;
}

static void test_mutations(const variant *v, uint64_t seed) {
  cloth_config config = v->config();
  subject t = subject_make(&config);
  random_source random = {seed};
  int accepted = 0, tries = 700;
  for (int i = 0; i < tries; i++)
    accepted += try_mutation(&t, &random, v->name, i);
  CHECK(accepted > tries / 20 && accepted < tries - tries / 20, "%s: %d of %d mutations accepted", v->name, accepted,
        tries);
  subject_free(&t);
}

/// Hashes ///

/* Any bit of any word of the state changes the hash; nothing else does. */
static void test_hash_of_words(const variant *v, uint64_t seed) {
  cloth_config config = v->config();
  specimen s = living(&config);
  random_source random = {seed};
  uint64_t hash = hash_of(s.sheet);
  for (size_t word = 0; word < s.memory.state_bytes / 4; word++) {
    int bit = random_int(&random, 0, 31);
    unsigned char *byte = specimen_state(&s) + 4 * word + bit / 8;
    *byte ^= (unsigned char)(1 << bit % 8);
    CHECK(hash_of(s.sheet) != hash, "%s: bit %d of word %d does not count", v->name, bit, (int)word);
    *byte ^= (unsigned char)(1 << bit % 8);
  }
  CHECK(hash_of(s.sheet) == hash, "%s: the hash of the same state", v->name);
  CHECK(s.memory.state_bytes % 4 == 0, "%s: the state is not made of words", v->name);
  memset(s.arena + s.memory.scratch_offset, 0xa9, s.memory.scratch_bytes);
  CHECK(hash_of(s.sheet) == hash, "%s: the hash depends on the scratch span", v->name);
  size_t bytes = s.memory.image_bytes;
  unsigned char *image = copy_bytes(s.arena, bytes);
  cloth_write_image(s.sheet, image, bytes);
  uint64_t expected = hash_of_words(image + 4 * HEADER_WORDS, bytes / 4 - HEADER_WORDS);
  CHECK(hash == expected, "%s: not the hash of the image's words", v->name);
  uint64_t written = (uint64_t)get_word(image, WORD_HASH) | (uint64_t)get_word(image, WORD_HASH + 1) << 32;
  CHECK(hash == written, "%s: the image has another hash", v->name);
  free(image);
  specimen_free(&s);
}

/* Equal states have equal hashes, wherever they lie and whatever the config does with them. */
static void test_equal_hashes(void) {
  cloth_config config = plain_config();
  specimen a = living(&config);
  config.tolerance = 0.1f;
  specimen b = stranger(&config, 3);
  memcpy(specimen_state(&b), specimen_state(&a), a.memory.state_bytes);
  CHECK(hash_of(a.sheet) == hash_of(b.sheet), "equal states, other hashes");
  cloth_set_wind(b.sheet, vector_at(2.0, 0.0, 1.125));
  CHECK(hash_of(a.sheet) != hash_of(b.sheet), "other winds, equal hashes");
  cloth_set_wind(b.sheet, vector_at(2.0, 0.0, 1.0));
  CHECK(hash_of(a.sheet) == hash_of(b.sheet), "equal winds, other hashes");
  cloth_pin(b.sheet, 14);
  CHECK(hash_of(a.sheet) != hash_of(b.sheet), "another pin, equal hashes");
  specimen_free(&a);
  specimen_free(&b);
}

static void test_hash_fold(void) {
  CHECK(cloth_hash_fold(0) == 0, "fold of 0");
  CHECK(cloth_hash_fold(UINT64_C(0x0000000100000002)) == 3, "fold of 2^32 + 2");
  CHECK(cloth_hash_fold(UINT64_C(0xffffffff00000000)) == 0xffffffffu, "fold of the upper half");
  CHECK(cloth_hash_fold(UINT64_C(0xffffffffffffffff)) == 0, "fold of all bits");
  CHECK(cloth_hash_fold(UINT64_C(0x123456789abcdef0)) == 0x88888888u, "fold of the digits");
  for (int bit = 0; bit < 64; bit++)
    CHECK(cloth_hash_fold(UINT64_C(1) << bit) == UINT32_C(1) << bit % 32, "fold of 2^%d", bit);
}

/* The hash after ten frames of a life. */
static uint64_t hash_of_life(const cloth_config *config) {
  specimen s = specimen_make(config);
  live_start(s.sheet);
  live(s.sheet, 0, 10);
  uint64_t hash = hash_of(s.sheet);
  specimen_free(&s);
  return hash;
}

/* What every build computes on every machine. Whoever changes the arithmetic on purpose counts CLOTH_NUMERICS_VERSION
   up and puts the new hashes here, in the same change; a layout change of the state does the same with
   CLOTH_STATE_VERSION. A hash that changes without either is a mistake. */
static const uint64_t golden_hashes[VARIANT_COUNT] = {
    UINT64_C(0xc83ba89393ec2af1), UINT64_C(0x6d4003b49a284d14), UINT64_C(0xb27e2b941a39469f),
    UINT64_C(0x7535be93ef8cc90e), UINT64_C(0x7172af5fa5becd8a), UINT64_C(0x865cc939b53c499a),
    UINT64_C(0x865cc939b53c499a), UINT64_C(0xcd4f7819e6bfe4d2), UINT64_C(0x1baad2615a5ef3c4),
    UINT64_C(0x5d8e54239db781ad), UINT64_C(0x96eab7061315d3bf), UINT64_C(0x757ae8fbfb9e61e8),
    UINT64_C(0x8eb34d590e0b14c9), UINT64_C(0x7160065954057cf3), UINT64_C(0xce18788d7e1e4186),
    UINT64_C(0xc9e2c166b277bfad), UINT64_C(0x2d807e644daa5cc5), UINT64_C(0x848db9c07d1fc708),
    UINT64_C(0xcf7b4bd5a2d54e86),
};

static void test_golden_hashes(const char *when) {
  for (int i = 0; i < VARIANT_COUNT; i++) {
    cloth_config config = variants[i].config();
    uint64_t hash = hash_of_life(&config);
    CHECK(hash == golden_hashes[i], "%s%s: UINT64_C(0x%08lx%08lx)", variants[i].name, when, (unsigned long)(hash >> 32),
          (unsigned long)(hash & 0xffffffffu));
  }
}

/// Sizes ///

static void expect_spans(const specimen *s, const char *call) {
  cloth_memory now;
  memset(&now, 0x77, sizeof now);
  int result = cloth_memory_spans(s->sheet, &now);
  CHECK(result == CLOTH_OK && memcmp(&now, &s->memory, sizeof now) == 0, "%s changed the spans", call);
}

#define KEEPS_SPANS(s, call)                                                                                           \
  do {                                                                                                                 \
    (void)(call);                                                                                                      \
    expect_spans((s), #call);                                                                                          \
  } while (0)

static void test_constant_size(const variant *v) {
  cloth_config config = v->config();
  specimen s = specimen_make(&config);
  cloth_collider ball = ball_collider(), box = box_collider();
  cloth_pose pose = {vector_at(1.0, 2.0, 3.0), rotation_none()};
  expect_spans(&s, "cloth_init()");
  for (int i = 0; i < 6; i++)
    KEEPS_SPANS(&s, cloth_add_collider(s.sheet, &ball));
  KEEPS_SPANS(&s, cloth_set_collider(s.sheet, 1, &box));
  KEEPS_SPANS(&s, cloth_move_collider(s.sheet, 1, NULL, &pose));
  for (int i = 0; i < s.count; i++)
    KEEPS_SPANS(&s, cloth_confine_to_line(s.sheet, i, vector_at(0.0, 1.0, 0.0)));
  for (int i = 0; i < s.count; i += 2)
    KEEPS_SPANS(&s, cloth_pin(s.sheet, i));
  KEEPS_SPANS(&s, cloth_set_pin_target(s.sheet, 0, vector_at(0.0, 1.0, 0.0), FRAME));
  KEEPS_SPANS(&s, cloth_set_fabric(s.sheet, &config.fabric));
  KEEPS_SPANS(&s, cloth_set_wind(s.sheet, vector_at(1.0, 0.0, 0.0)));
  KEEPS_SPANS(&s, cloth_set_gravity(s.sheet, vector_at(1.0, 0.0, 0.0)));
  KEEPS_SPANS(&s, cloth_step(s.sheet, FRAME));
  KEEPS_SPANS(&s, cloth_step(s.sheet, 1.0f));
  KEEPS_SPANS(&s, cloth_remove_collider(s.sheet, 0));
  for (int i = 0; i < s.count; i++)
    KEEPS_SPANS(&s, cloth_release(s.sheet, i));
  KEEPS_SPANS(&s, cloth_step(s.sheet, FRAME));
  specimen_free(&s);
}

static void expect_sizes(const cloth_config *config, size_t share, const char *options) {
  cloth_memory m;
  int result = cloth_memory_needed(config, &m);
  CHECK(result == CLOTH_OK, "cloth_memory_needed: %s", cloth_result_name(result));
  size_t most = share * (size_t)(config->columns * config->rows) + 5120;
  CHECK(m.saved_bytes <= most, "%d x %d%s: a save of %d bytes, at most %d", config->columns, config->rows, options,
        (int)m.saved_bytes, (int)most);
  CHECK(m.saved_bytes > m.state_bytes && m.image_bytes == 4 * map_of(config).first[REGION_COUNT],
        "%d x %d%s: a state of %d bytes, a save of %d, an image of %d", config->columns, config->rows, options,
        (int)m.state_bytes, (int)m.saved_bytes, (int)m.image_bytes);
  CHECK(m.image_bytes == m.state_bytes + 52 && m.saved_bytes == m.state_bytes + 16, "%d x %d%s: headers",
        config->columns, config->rows, options);
}

static void test_saved_bytes(void) {
  static const int sides[] = {2, 3, 4, 5, 7, 8, 13, 16, 24, 31, 32, 48, 63, 64};
  int side_count = (int)(sizeof sides / sizeof sides[0]);
  for (int i = 0; i < side_count * side_count; i++) {
    cloth_config config = cloth_config_default();
    config.columns = sides[i % side_count];
    config.rows = sides[i / side_count];
    use_projection(&config);
    expect_sizes(&config, 60, " in three tiers");
    use_two_tiers(&config);
    expect_sizes(&config, 28, " in two tiers");
    config.warm_start = 1;
    config.contact_mode = CLOTH_CONTACT_SOLVER;
    expect_sizes(&config, 44, " in two tiers with a warm start and solver contact");
    config.tethers = 2;
    config.extrapolation = 0.5f;
    expect_sizes(&config, 76, " with everything");
  }
}

/* The header of an image, byte by byte. */
static void test_image_header(void) {
  cloth_config config = full_config();
  subject t = subject_make(&config);
  CHECK(memcmp(t.image, "CLTH", 4) == 0, "an image begins with %.4s", (const char *)t.image);
  CHECK(get_word(t.image, WORD_MAGIC) == CLOTH_IMAGE_MAGIC, "the magic");
  CHECK(get_word(t.image, WORD_STATE_VERSION) == CLOTH_STATE_VERSION, "the state version");
  CHECK(get_word(t.image, WORD_NUMERICS_VERSION) == CLOTH_NUMERICS_VERSION, "the numerics version");
  CHECK(get_word(t.image, WORD_BYTES) == t.bytes, "the bytes");
  static const uint32_t counts[] = {5, 3, 4, 3, 3};
  for (size_t i = 0; i < 5; i++)
    CHECK(get_word(t.image, WORD_COLUMNS + i) == counts[i], "count %d is %u", (int)i,
          (unsigned)get_word(t.image, WORD_COLUMNS + i));
  for (size_t word = WORD_BYTES; word <= WORD_OPTIONS; word++) { /* the sizes of others, with a good hash */
    for (int change = -2; change <= 2; change++) {
      if (change == 0)
        continue;
      set_word(t.trial, word, get_word(t.image, word) + (uint32_t)change);
      expect_content(&t, CLOTH_ERROR_IMAGE_SIZE, "another count");
    }
  }
  subject_free(&t);
}

/// Self-test ///

/* GCC keeps to the pragma in cloth.c whatever -ffp-contract says: with -mfma -ffp-contract=fast this passes and the
   golden hashes hold. Clang's -ffp-contract=fast overrides the pragma, which the self-test is to report. */
static void test_self_test(void) {
  int result = cloth_self_test();
  CHECK(result == CLOTH_OK || result == CLOTH_NOTE_FLUSHES, "%d, %s", result, cloth_result_name(result));
}

/* How this machine now rounds 1 + 2^-25 and -1 - 2^-25: what the modes are told by. */
static int rounds_away_from_nearest(void) {
  volatile float one = 1.0f, little = 2.98023224e-8f;
  volatile float up = one + little, down = -one - little, third = one / 3.0f;
  return up != 1.0f || down != -1.0f || float_word(third) != 0x3eaaaaabu;
}

static void test_rounding_modes(void) {
  static const struct {
    const char *name;
    int mode;
  } modes[] = {
#if defined(FE_UPWARD)
    {"upward", FE_UPWARD},
#endif
#if defined(FE_DOWNWARD)
    {"downward", FE_DOWNWARD},
#endif
#if defined(FE_TOWARDZERO)
    {"toward zero", FE_TOWARDZERO},
#endif
    {"to nearest", FE_TONEAREST},
  };
  int usual = cloth_self_test();
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    int possible = fesetround(modes[i].mode) == 0;
    int away = rounds_away_from_nearest(); /* emulators may not follow */
    int result = cloth_self_test();
    fesetround(FE_TONEAREST);
    int expected = away ? CLOTH_ERROR_ROUNDING : usual;
    CHECK(!possible || result == expected, "rounding %s: %s instead of %s", modes[i].name, cloth_result_name(result),
          cloth_result_name(expected));
  }
  CHECK(cloth_self_test() == usual, "rounding is not what it was");
}

#if defined(__SSE__)
#define FLUSH_RESULTS 0x8000u
#define FLUSH_ARGUMENTS 0x0040u

static int flushes_now(void) {
  volatile float smallest = 1.17549435e-38f, half = 0.5f;
  volatile float product = smallest * half;
  return float_word(product) == 0;
}

/* A machine that flushes subnormals says so, and computes the same. */
static void test_flushing(void) {
  unsigned control = _mm_getcsr();
  _mm_setcsr(control | FLUSH_RESULTS);
  int flushes = flushes_now(), result = cloth_self_test();
  _mm_setcsr(control);
  CHECK(!flushes || result == CLOTH_NOTE_FLUSHES, "flushing: %d, %s", result, cloth_result_name(result));
  _mm_setcsr(control | FLUSH_RESULTS | FLUSH_ARGUMENTS);
  flushes = flushes_now();
  result = cloth_self_test();
  test_golden_hashes(", flushing");
  _mm_setcsr(control);
  CHECK(!flushes || result == CLOTH_NOTE_FLUSHES, "flushing both: %d, %s", result, cloth_result_name(result));
}
#else
static void test_flushing(void) {
}
#endif

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
    return cloth_set_pin_target(sheet, particle, v, FRAME);
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

static void random_call(specimen *s, random_source *random) {
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
    if (is_float_word(at, word) && !is_canonical(get_word(image, word)))
      return word;
  }
  return 0;
}

/* After any call the state is canonical, and a cloth of the same config takes its image. What is wrong is told once. */
static void test_random_calls(const variant *v, uint64_t seed) {
  cloth_config config = v->config();
  specimen s = specimen_make(&config), other = stranger(&config, 1);
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
  specimen_free(&s);
  specimen_free(&other);
}

/// Histories ///

typedef struct pair {
  specimen a, b;
} pair;

static cloth_config (*history_config)(void);

static pair pair_make(void) {
  cloth_config config = history_config();
  pair p = {specimen_make(&config), stranger(&config, 2)};
  specimen_free(&p.b);
  p.b = specimen_make(&config);
  return p;
}

static void expect_same(pair *p, const char *what) {
  CHECK(hash_of(p->a.sheet) == hash_of(p->b.sheet) && same_state(&p->a, &p->b), "%s", what);
  run_steps(p->a.sheet, 2, FRAME);
  run_steps(p->b.sheet, 2, FRAME);
  CHECK(same_state(&p->a, &p->b), "%s, two frames later", what);
  specimen_free(&p->a);
  specimen_free(&p->b);
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
  cloth_set_pin_target(p.b.sheet, 0, slant, FRAME);
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
  config.warm_start = 0; /* which is a history of its own */
  pair p = {specimen_make(&config), specimen_make(&config)};
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

int main(void) {
  fill_maps();
  test_pointer_refusals();
  test_short_buffers();
  test_every_bit("plain", plain_config());
  test_every_bit("projected", projected_config());
  test_every_bit("everything", full_config());
  test_save_header();
  test_image_header();
  test_other_settings();
  test_other_maps_and_shape();
  test_inputs_are_state();
  test_content();
  test_confined_twice();
  test_pads();
  test_no_tethers();
  test_impossible_targets();
  for (int i = 0; i < VARIANT_COUNT; i++) {
    test_exchange(&variants[i]);
    test_fresh_exchange(&variants[i]);
    test_mutations(&variants[i], 100 + (uint64_t)i);
    test_hash_of_words(&variants[i], 200 + (uint64_t)i);
    test_constant_size(&variants[i]);
    test_random_calls(&variants[i], 300 + (uint64_t)i);
  }
  test_image_after_removal();
  test_equal_hashes();
  test_hash_fold();
  test_golden_hashes("");
  test_saved_bytes();
  test_self_test();
  test_rounding_modes();
  test_flushing();
  cloth_config (*const history_configs[])(void) = {contact_config, full_config, projected_config};
  for (int i = 0; i < 3; i++) {
    history_config = history_configs[i];
    test_collider_histories();
    test_particle_histories();
    test_input_histories();
    test_contact_history();
  }
  return check_report();
}
