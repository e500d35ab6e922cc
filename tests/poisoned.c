/*
 * Steps that begin with poisoned scratch, for programs that are linked with --wrap, see tests/poisoned.sh: whoever
 * calls a step of cloth.h calls one here first, which fills the scratch span of the cloth, and the memory of a group,
 * with 0xA5, with 0x5A, or with what another cloth left in its own, in turns from step to step. A step that is refused
 * leaves the scratch as it was. Scratch that lies outside of the arena is not filled. SPDX-License-Identifier: MIT
 */
#include "cloth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Bytes ///

/* Memory that grows, of one thread. */
typedef struct kept_bytes {
  unsigned char *at;
  size_t count, room;
} kept_bytes;

static void keep(kept_bytes *b, const unsigned char *from, size_t count) {
  if (count > b->room) {
    free(b->at);
    b->at = malloc(count);
    b->room = count;
  }
  if (b->at == NULL && count > 0) {
    printf("out of memory\n");
    exit(2);
  }
  b->count = count;
  if (count > 0) memcpy(b->at, from, count);
}

/* What the cloth that stepped last left, and what the one before it did: a cloth of another address or size. */
static __thread kept_bytes left, other;
static __thread const void *last;
static __thread unsigned turn;

int __real_cloth_step(cloth *c, float dt);

/* A sheet in the wind, whose scratch comes first. */
static void make_stranger(void) {
  cloth_config config = cloth_config_default();
  cloth_memory memory;
  cloth *sheet = NULL;
  config.columns = 19;
  config.rows = 14;
  config.wind = (cloth_vector){3.0f, -1.0f, 2.0f};
  if (cloth_memory_needed(&config, &memory) < 0) exit(2);
  unsigned char *arena = aligned_alloc(CLOTH_ALIGNMENT, (memory.total_bytes / CLOTH_ALIGNMENT + 1) * CLOTH_ALIGNMENT);
  if (arena == NULL || cloth_init(&config, arena, memory.total_bytes, &sheet) < 0) exit(2);
  cloth_pin(sheet, 0);
  for (int frame = 0; frame < 3; frame++)
    __real_cloth_step(sheet, 1.0f / 60.0f);
  keep(&other, arena + memory.scratch_offset, memory.scratch_bytes);
  free(arena);
}

static void poison(unsigned char *at, size_t count) {
  if (turn % 3 < 2) {
    memset(at, turn % 3 == 0 ? 0xA5 : 0x5A, count);
    return;
  }
  for (size_t n = 0; n < count; n += other.count)
    memcpy(at + n, other.at, count - n < other.count ? count - n : other.count);
}

/// Scratch of a cloth ///

typedef struct span {
  unsigned char *at;
  size_t count;
  kept_bytes before;
} span;

/* The scratch of a cloth lies in its arena, at whose start the cloth lies. Nothing of what is no cloth. */
static span span_of(cloth *c) {
  span s = {NULL, 0, {NULL, 0, 0}};
  cloth_memory memory;
  if (c != NULL && cloth_get_memory(c, &memory) == CLOTH_OK) {
    s.at = (unsigned char *)c + memory.scratch_offset;
    s.count = memory.scratch_bytes;
  }
  return s;
}

static void fill(span *s) {
  keep(&s->before, s->at, s->count);
  poison(s->at, s->count);
}

static void finish(span *s, int result) {
  if (result < 0 && s->count > 0) memcpy(s->at, s->before.at, s->count);
  free(s->before.at);
}

/* Before a step of a cloth, and after it. */
static span begin(cloth *c) {
  span s = span_of(c);
  if (other.count == 0) make_stranger();
  if (left.count > 0 && (last != c || left.count != s.count)) {
    const kept_bytes oldest = other;
    other = left;
    left = oldest;
  }
  turn++;
  fill(&s);
  return s;
}

static int end(cloth *c, span *s, int result) {
  finish(s, result);
  keep(&left, s->at, s->count);
  last = c;
  return result;
}

/// A group ///

/* The scratch of its cloths, and its own memory; what refuses a group is left to the call. */
typedef struct group_spans {
  span cloths[CLOTH_GROUP_LIMIT], memory;
  int count;
} group_spans;

static int lies_in_cloth(const cloth_group *group, const void *memory) {
  for (int n = 0; n < group->count; n++) {
    cloth_memory m;
    cloth_get_memory(group->cloths[n], &m);
    const uintptr_t start = (uintptr_t)(const void *)group->cloths[n];
    if ((uintptr_t)memory - start < m.total_bytes) return 1;
  }
  return 0;
}

static group_spans begin_group(const cloth_group *group, void *memory, size_t room) {
  group_spans g;
  size_t needed = 0;
  memset(&g, 0, sizeof g);
  if (group == NULL || cloth_group_bytes(group, &needed) < 0) return g;
  g.count = group->count;
  for (int n = 0; n < g.count; n++)
    g.cloths[n] = begin(group->cloths[n]);
  g.memory.at = memory;
  g.memory.count = memory != NULL && room >= needed && !lies_in_cloth(group, memory) ? needed : 0;
  fill(&g.memory);
  return g;
}

static int end_group(const cloth_group *group, group_spans *g, int result) {
  finish(&g->memory, result);
  for (int n = g->count - 1; n >= 0; n--)
    end(group->cloths[n], &g->cloths[n], result);
  return result;
}

/// The calls ///

/* __wrap_NAME() is called in place of NAME(), which is now __real_NAME(). */
#define WRAPPED(name, parameters, arguments)                                                                           \
  int __real_##name parameters;                                                                                        \
  int __wrap_##name parameters;                                                                                        \
  int __wrap_##name parameters {                                                                                       \
    span s = begin(c);                                                                                                 \
    return end(c, &s, __real_##name arguments);                                                                        \
  }
#define WRAPPED_GROUP(name, parameters, arguments)                                                                     \
  int __real_##name parameters;                                                                                        \
  int __wrap_##name parameters;                                                                                        \
  int __wrap_##name parameters {                                                                                       \
    group_spans g = begin_group(group, memory, bytes);                                                                 \
    return end_group(group, &g, __real_##name arguments);                                                              \
  }

WRAPPED(cloth_step, (cloth * c, float dt), (c, dt))
WRAPPED(cloth_step_with, (cloth * c, float dt, const cloth_surroundings *around), (c, dt, around))
WRAPPED(cloth_step_until, (cloth * c, float dt, uint32_t ticks, cloth_effort *effort), (c, dt, ticks, effort))
WRAPPED(cloth_step_again, (cloth * c, float dt, const cloth_effort *effort), (c, dt, effort))
WRAPPED(cloth_step_until_with,
        (cloth * c, float dt, const cloth_surroundings *around, uint32_t ticks, cloth_effort *effort),
        (c, dt, around, ticks, effort))
WRAPPED(cloth_step_again_with, (cloth * c, float dt, const cloth_surroundings *around, const cloth_effort *effort),
        (c, dt, around, effort))
WRAPPED(cloth_settle, (cloth * c, float dt, float speed, int32_t most, cloth_settle_report *report),
        (c, dt, speed, most, report))
WRAPPED(cloth_settle_with,
        (cloth * c, float dt, const cloth_surroundings *around, float speed, int32_t most, cloth_settle_report *report),
        (c, dt, around, speed, most, report))
WRAPPED_GROUP(cloth_step_together, (const cloth_group *group, float dt, void *memory, size_t bytes),
              (group, dt, memory, bytes))
WRAPPED_GROUP(cloth_step_together_until,
              (const cloth_group *group, float dt, void *memory, size_t bytes, uint32_t ticks, cloth_effort *efforts),
              (group, dt, memory, bytes, ticks, efforts))
WRAPPED_GROUP(cloth_step_together_again,
              (const cloth_group *group, float dt, void *memory, size_t bytes, const cloth_effort *efforts),
              (group, dt, memory, bytes, efforts))
