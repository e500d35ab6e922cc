/* A cloth, its arena as it was, and every output that a call may write, so that one comparison shows that a refused
   call changed none of them. SPDX-License-Identifier: MIT */
#ifndef REFUSALS_H
#define REFUSALS_H

#include "support.h"

/* Every output of every call under test lies in here, so one comparison shows that none was touched. */
typedef struct outputs {
  cloth_memory memory;
  cloth *sheet;
  cloth_fabric fabric;
  cloth_vector_view range;
  cloth_vector a, b;
  cloth_reaction reaction;
  cloth_statistics statistics;
  cloth_measures measures;
  uint16_t indices16[6 * 16];
  uint32_t indices32[6 * 16];
  unsigned char vertices[16 * 32];
  int32_t pin;
} outputs;

typedef struct guarded_fixture {
  fixture s;
  unsigned char *arena_before;
  outputs out;
  outputs out_before;
} guarded_fixture;

static inline guarded_fixture guarded_make(const cloth_config *config) {
  guarded_fixture f;
  memset(&f, 0, sizeof f);
  f.s = fixture_make(config);
  f.arena_before = copy_bytes(f.s.arena, f.s.memory.total_bytes);
  memset(&f.out, 0xa5, sizeof f.out);
  memset(&f.out_before, 0xa5, sizeof f.out_before);
  return f;
}

/* Takes the arena as it is now for the state that refusals must keep. */
static inline void guarded_settle(guarded_fixture *f) {
  memcpy(f->arena_before, f->s.arena, f->s.memory.total_bytes);
}

static inline void guarded_free(guarded_fixture *f) {
  free(f->arena_before);
  fixture_free(&f->s);
}

static inline int guarded_untouched(const guarded_fixture *f) {
  return memcmp(f->s.arena, f->arena_before, f->s.memory.total_bytes) == 0 &&
         memcmp(&f->out, &f->out_before, sizeof f->out) == 0;
}

/* Checks that a call changed nothing; if it did, undoes that, so that only the call to blame is reported. */
static inline void expect_untouched(guarded_fixture *f, const char *call) {
  int untouched = guarded_untouched(f);
  CHECK(untouched, "%s changed something", call);
  if (!untouched) {
    memcpy(f->s.arena, f->arena_before, f->s.memory.total_bytes);
    memcpy(&f->out, &f->out_before, sizeof f->out);
  }
}

static inline void expect_refusal(guarded_fixture *f, int result, int error, const char *call) {
  CHECK(result == error, "%s gave %s instead of %s", call, cloth_result_name(result), cloth_result_name(error));
  expect_untouched(f, call);
}

#define REFUSED(fixture, call, error) expect_refusal((fixture), (call), (error), #call)

/* A small config without neighbours at the ends of their ranges. */
static inline cloth_config small_config(void) {
  cloth_config config = tested_config();
  config.columns = 5;
  config.rows = 4;
  return config;
}

/* A config is accepted when it can be asked for its memory, initialised and stepped. */
static inline void expect_config_accepted(const cloth_config *config, const char *name) {
  cloth_memory memory;
  int result = cloth_memory_needed(config, &memory);
  CHECK(result == CLOTH_OK, "%s: cloth_memory_needed gave %s", name, cloth_result_name(result));
  if (result != CLOTH_OK) return;
  fixture s = fixture_make(config);
  result = cloth_step(s.sheet, 0.001f);
  CHECK(result >= CLOTH_OK, "%s: cloth_step gave %s", name, cloth_result_name(result));
  CHECK(all_finite(s.sheet), "%s: not finite", name);
  fixture_free(&s);
}

/* The vector with `value` on one axis and zero on the others. */
static inline cloth_vector on_axis(int axis, float value) {
  return vector_at(axis == 0 ? (double)value : 0.0, axis == 1 ? (double)value : 0.0, axis == 2 ? (double)value : 0.0);
}

#endif /* REFUSALS_H */
