/* What a history of the fuzzer lives in: bytes that are read as choices, memory of exact sizes, the cloths and what is
   around them, and the checks that follow every call. See fuzz.c. SPDX-License-Identifier: MIT */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include "cloth.h"
#include "fuzz_functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_REDZONES 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HAS_REDZONES 1
#endif
#ifndef HAS_REDZONES
#define HAS_REDZONES 0
#endif

enum {
  MOST_CLOTHS = 3,
  MOST_GEOMETRIES = 8, /* places of the table: 4 of known geometries, the others are built by histories */
  MOST_BODIES = 4,
  MOST_BINDINGS = 40,
  MOST_BLOCKS = 600, /* of memory of one history */
  MOST_SIDE = 24,    /* columns or rows; with workers a stage over so many particles has pieces */
  MOST_CALLS = 100,  /* operations of a history */
};
#define MOST_WORK 30000000u    /* of the steps of a history, ... */
#define WORK_OF_PARTICLE 3000u /* ... where a particle in a substep counts as so much */

/// Memory ///

/* Blocks that live until the end of the history. With an address sanitizer each has exactly the bytes asked for, and
   what touches a byte outside is stopped there. Without one bytes around it are compared at the end. */
typedef struct block {
  unsigned char *allocation, *memory;
  size_t bytes;
} block;

static block blocks[MOST_BLOCKS];
static int block_count;
static long long history_number; /* of the run, for messages */
static int operation_number;

static void found(const char *what) {
  printf("found: %s, history %lld, operation %d\n", what, history_number, operation_number);
  fflush(stdout);
  abort();
}

#define GUARD (HAS_REDZONES ? (size_t)0 : (size_t)64)

static void *memory_of(size_t bytes, int filling) {
  block *b = &blocks[block_count++];
  void *allocation = NULL;
  if (block_count >= MOST_BLOCKS || posix_memalign(&allocation, 64, bytes + 2 * GUARD) != 0) {
    found("no memory for the test");
  }
  b->allocation = allocation;
  b->memory = b->allocation + GUARD;
  b->bytes = bytes;
  memset(b->allocation, 0x5c, bytes + 2 * GUARD);
  memset(b->memory, filling, bytes);
  return b->memory;
}

static void free_memory(void) {
  for (int n = 0; n < block_count; n++) {
    for (size_t i = 0; i < GUARD; i++) {
      if (blocks[n].allocation[i] != 0x5c || blocks[n].memory[blocks[n].bytes + i] != 0x5c) {
        found("a byte outside of memory was written");
      }
    }
    free(blocks[n].allocation);
  }
  block_count = 0;
}

/// The world ///

/* Bytes of the input, and where the next is read. Behind the end all are 0. */
typedef struct input {
  const unsigned char *bytes;
  size_t count, at;
  int is_wild; /* 1: numbers may be outside of their ranges, pointers NULL */
} input;

typedef struct world {
  input in;
  cloth *cloths[MOST_CLOTHS];
  cloth_config configs[MOST_CLOTHS];
  cloth_memory memories[MOST_CLOTHS];
  uint64_t hashes[MOST_CLOTHS];       /* after the last call */
  uint64_t config_bound[MOST_CLOTHS]; /* work of a step of 1/60 s, as long as the fabric is that of the config; or 0 */
  const void *kept[MOST_CLOTHS];      /* saves, or NULL */
  int count;
  const cloth_geometry *geometries[MOST_GEOMETRIES];
  int32_t shapes[MOST_GEOMETRIES];
  cloth_shared_body bodies[MOST_BODIES];
  int32_t body_count;
  cloth_binding bindings[MOST_BINDINGS];
  cloth_effort efforts[MOST_CLOTHS];
  const cloth_workers *workers; /* of steps with surroundings: of the twin, which must come to the same without them */
  int filling;                  /* of new memory, which results must not depend on */
  uint64_t digest;              /* of results and states: what twins must repeat */
  uint64_t output;              /* of all that calls returned: what machines must repeat */
  uint64_t build;               /* of work, which differs with lanes, and of memory of groups, with pointers */
  uint64_t work;                /* of the history so far, as counted by WORK_OF_PARTICLE */
  uint64_t measured;            /* work that steps have reported */
} world;

static uint64_t total_calls[FUNCTION_COUNT], total_successes[FUNCTION_COUNT];

/// Choices ///

static uint32_t byte_of(world *w) {
  input *in = &w->in;
  return in->at < in->count ? in->bytes[in->at++] : 0u;
}

static int32_t whole(world *w, int32_t low, int32_t high) {
  static const int32_t odd[8] = {-1, INT32_MIN, INT32_MAX, 65536, 0, 1, -2, 1025};
  const uint32_t b = byte_of(w);
  if (w->in.is_wild && b >= 248) {
    return b < 252 ? odd[b - 248] : b == 252 ? low - 1 : b == 253 ? high + 1 : b == 254 ? low : high;
  }
  return low + (int32_t)(b % (uint32_t)(high - low + 1));
}

static int chance(world *w, uint32_t of_256) {
  return byte_of(w) >= 256u - of_256;
}

static float real(world *w, float low, float high) {
  static const uint32_t odd[8] = {0x7fc00000u, 0x7f800000u, 0xff800000u, 0x80000000u,
                                  0x00000123u, 0x7149f2cau, 0xf149f2cau, 0x7f7fffffu};
  const uint32_t b = byte_of(w);
  if (w->in.is_wild && b >= 244) {
    float value = low;
    if (b < 252) {
      memcpy(&value, &odd[b - 244], sizeof value);
    } else if (b == 252) {
      value = low - 1.0f;
    } else if (b >= 254) {
      value = high * 1.001f;
    }
    return value;
  }
  if (b == 0) { return low; }
  return b >= 240 ? high : low + (high - low) * ((float)b / 240.0f);
}

static cloth_vector vector_within(world *w, float reach) {
  cloth_vector v;
  v.x = real(w, -reach, reach);
  v.y = real(w, -reach, reach);
  v.z = real(w, -reach, reach);
  return v;
}

/* A rotation about an axis of the world by a multiple of an angle with a Pythagorean half: exact to rounding. */
static cloth_rotation rotation_of(world *w) {
  static const cloth_rotation known[8] = {
      {0.0f, 0.0f, 0.0f, 1.0f}, {0.6f, 0.0f, 0.0f, 0.8f},  {0.0f, 0.28f, 0.0f, 0.96f}, {0.0f, 0.0f, 1.0f, 0.0f},
      {0.5f, 0.5f, 0.5f, 0.5f}, {0.0f, 0.0f, -0.6f, 0.8f}, {0.8f, 0.0f, 0.0f, -0.6f},  {0.1f, -0.7f, 0.1f, -0.7f}};
  cloth_rotation r = known[whole(w, 0, 7) & 7];
  if (w->in.is_wild && chance(w, 64)) { r.x = real(w, -1.0f, 1.0f); }
  return r;
}

static cloth_pose pose_of(world *w) {
  cloth_pose pose;
  pose.position = vector_within(w, 1.0f);
  pose.rotation = rotation_of(w);
  return pose;
}

/* The pointer, or NULL where the input is wild. */
#define MAYBE(w, pointer) ((w)->in.is_wild && chance(w, 24) ? NULL : (pointer))

static int32_t particle_of(world *w, int which) {
  const int32_t count = w->configs[which].columns * w->configs[which].rows;
  const int32_t low = whole(w, 0, 255), high = w->in.is_wild ? whole(w, -1, 1) : 0;
  return low < 0 ? low : (int32_t)((uint32_t)(low % count) + (uint32_t)high * (uint32_t)count);
}

/* A time step: mostly that of a frame. */
static float time_of(world *w) {
  static const float times[16] = {0.0166666675f,  0.0166666675f, 0.0166666675f, 0.0166666675f,
                                  0.0166666675f,  0.0166666675f, 0.0333333351f, 0.0333333351f,
                                  0.00416666688f, 0.1f,          1.0f,          1.0e-6f,
                                  0.0166666675f,  0.0f,          2.0f,          -0.01f};
  return times[whole(w, 0, w->in.is_wild ? 15 : 12) & 15];
}

/// Digests ///

static uint64_t folded(uint64_t hash, uint32_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 29);
}

static void fold_word(world *w, uint32_t word) {
  w->output = folded(w->output, word);
}

static void fold_wide(world *w, uint64_t value) {
  w->output = folded(folded(w->output, (uint32_t)value), (uint32_t)(value >> 32));
}

static void fold_build(world *w, uint64_t value) {
  w->build = folded(folded(w->build, (uint32_t)value), (uint32_t)(value >> 32));
}

static void fold_text(world *w, const char *text) {
  for (; *text; text++) {
    fold_word(w, (unsigned char)*text);
  }
}

/* Numbers of 32 bits without gaps between them. */
static void fold_words(world *w, const void *words, size_t bytes) {
  for (size_t n = 0; n < bytes / sizeof(uint32_t); n++) {
    uint32_t word;
    memcpy(&word, (const unsigned char *)words + n * sizeof word, sizeof word);
    fold_word(w, word);
  }
}

static void fold_float(world *w, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  fold_word(w, bits);
}

static void fold_floats(world *w, const float *values, int count) {
  for (int n = 0; n < count; n++) {
    fold_float(w, values[n]);
  }
}

static void fold_vector(world *w, cloth_vector v) {
  fold_float(w, v.x);
  fold_float(w, v.y);
  fold_float(w, v.z);
}

static int is_finite_vector(cloth_vector v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static void need_finite(cloth_vector v, const char *what) {
  if (!is_finite_vector(v)) { found(what); }
}

/// What follows every call ///

static uint64_t hash_now(const cloth *c) {
  uint64_t hash = 0;
  total_calls[CALLED_cloth_hash]++;
  total_successes[CALLED_cloth_hash]++;
  if (cloth_hash(c, &hash) != CLOTH_OK) { found("cloth_hash() refused a cloth"); }
  return hash;
}

enum {
  CHANGES = 0,
  ASKS = 1,   /* the call must not change a state, whatever it returns */
  RECORDS = 2 /* the result depends on what is no state: twins may return another one */
};

/* Counts a call; one that was refused, or that asks, must not have changed any state. */
static int outcome(world *w, int function, int how, int result) {
  total_calls[function]++;
  total_successes[function] += result >= 0;
  if (result < -23) { found("an unknown error"); }
  total_calls[CALLED_cloth_result_name]++;
  total_successes[CALLED_cloth_result_name]++;
  if (strcmp(cloth_result_name(result), "unknown") == 0) { found("a result without a name"); }
  for (int n = 0; n < w->count; n++) {
    const uint64_t hash = hash_now(w->cloths[n]);
    if ((result < 0 || (how & ASKS)) && hash != w->hashes[n]) {
      printf("%s: %s\n", function_names[function], cloth_result_name(result));
      found(result < 0 ? "a refused call changed a state" : "a question changed a state");
    }
    w->hashes[n] = hash;
    w->output = folded(w->output, cloth_hash_fold(hash));
    w->digest = folded(folded(w->digest, (uint32_t)hash), (uint32_t)(hash >> 32));
  }
  total_calls[CALLED_cloth_hash_fold]++;
  total_successes[CALLED_cloth_hash_fold]++;
  fold_word(w, (uint32_t)result);
  if (!(how & RECORDS)) { w->digest = folded(w->digest, (uint32_t)result); }
  return result;
}

#define CALL(w, function, ...) outcome(w, CALLED_##function, CHANGES, function(__VA_ARGS__))
#define ASK(w, function, ...) outcome(w, CALLED_##function, ASKS, function(__VA_ARGS__))
#define RECORDED(w, function, ...) outcome(w, CALLED_##function, ASKS | RECORDS, function(__VA_ARGS__))
/* Of functions that return no result. */
#define COUNTED(function) (total_calls[CALLED_##function]++, total_successes[CALLED_##function]++)

static void need(int condition, const char *what) {
  if (!condition) { found(what); }
}

#endif /* FUZZ_WORLD_H */
