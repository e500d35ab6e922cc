/* What the test programs share: a cloth in an arena with guard bytes around it, points in double precision, and a
   random generator that is the same everywhere. Include after check.h. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "check.h"
#include "cloth.h"
#include "schemes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FRAME (1.0f / 60.0f)

/// Points in double precision ///

typedef struct point {
  double x, y, z;
} point;

static inline point point_of(cloth_vector v) {
  point p = {(double)v.x, (double)v.y, (double)v.z};
  return p;
}

static inline cloth_vector vector_at(double x, double y, double z) {
  cloth_vector v = {(float)x, (float)y, (float)z};
  return v;
}

static inline cloth_vector vector_of(point p) {
  return vector_at(p.x, p.y, p.z);
}

static inline point point_sum(point a, point b) {
  point p = {a.x + b.x, a.y + b.y, a.z + b.z};
  return p;
}

static inline point point_scaled(point a, double factor) {
  point p = {a.x * factor, a.y * factor, a.z * factor};
  return p;
}

static inline point point_difference(point a, point b) {
  return point_sum(a, point_scaled(b, -1.0));
}

static inline double point_dot(point a, point b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline point point_cross(point a, point b) {
  point p = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  return p;
}

static inline double point_length(point a) {
  return sqrt(point_dot(a, a));
}

static inline double point_distance(point a, point b) {
  return point_length(point_difference(a, b));
}

/* Turn by `angle` about a unit axis. */
static inline cloth_rotation rotation_about(point axis, double angle) {
  double sine = sin(0.5 * angle);
  cloth_rotation r = {(float)(axis.x * sine), (float)(axis.y * sine), (float)(axis.z * sine), (float)cos(0.5 * angle)};
  return r;
}

static inline cloth_rotation rotation_none(void) {
  cloth_rotation r = {0.0f, 0.0f, 0.0f, 1.0f};
  return r;
}

/// A cloth in a guarded arena ///

#define GUARD_BYTES ((size_t)(4 * CLOTH_ALIGNMENT))
#define GUARD_VALUE 0x5c

typedef struct specimen {
  unsigned char *allocation;
  unsigned char *arena;
  cloth_memory memory;
  cloth *sheet;
  int columns, rows, count;
} specimen;

/* An aligned buffer with guard bytes on both sides; `shift` alignments further into its allocation, so that two
   buffers can be told to lie differently. */
static inline unsigned char *guarded_buffer(size_t bytes, size_t shift, unsigned char **allocation) {
  size_t lead = GUARD_BYTES + (shift + 1) * CLOTH_ALIGNMENT;
  *allocation = (unsigned char *)malloc(lead + bytes + GUARD_BYTES);
  if (*allocation == NULL) {
    printf("out of memory\n");
    exit(2);
  }
  size_t misplaced = (size_t)((uintptr_t)*allocation % CLOTH_ALIGNMENT);
  unsigned char *buffer = *allocation + lead - misplaced;
  memset(buffer - GUARD_BYTES, GUARD_VALUE, GUARD_BYTES);
  memset(buffer + bytes, GUARD_VALUE, GUARD_BYTES);
  return buffer;
}

static inline int guards_intact(const unsigned char *buffer, size_t bytes) {
  const unsigned char *before = buffer - GUARD_BYTES, *after = buffer + bytes;
  for (size_t i = 0; i < GUARD_BYTES; i++) {
    if (before[i] != GUARD_VALUE || after[i] != GUARD_VALUE)
      return 0;
  }
  return 1;
}

/* Makes a cloth in an arena of exactly the size asked for. Garbage in the arena must not matter, hence the filling. */
static inline specimen specimen_make(const cloth_config *config) {
  specimen s;
  memset(&s, 0, sizeof s);
  int result = cloth_memory_needed(config, &s.memory);
  CHECK(result == CLOTH_OK, "cloth_memory_needed: %s", cloth_result_name(result));
  s.arena = guarded_buffer(s.memory.total_bytes, 0, &s.allocation);
  memset(s.arena, 0xcd, s.memory.total_bytes);
  result = cloth_init(config, s.arena, s.memory.total_bytes, &s.sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  if (result != CLOTH_OK)
    exit(2);
  s.columns = config->columns;
  s.rows = config->rows;
  s.count = s.columns * s.rows;
  return s;
}

static inline void specimen_free(specimen *s) {
  CHECK(guards_intact(s->arena, s->memory.total_bytes), "bytes outside the arena were written");
  free(s->allocation);
  memset(s, 0, sizeof *s);
}

static inline int specimen_particle(const specimen *s, int column, int row) {
  return row * s->columns + column;
}

static inline unsigned char *specimen_state(const specimen *s) {
  return s->arena + s->memory.state_offset;
}

static inline int same_state(const specimen *a, const specimen *b) {
  return a->memory.state_bytes == b->memory.state_bytes &&
         memcmp(specimen_state(a), specimen_state(b), a->memory.state_bytes) == 0;
}

static inline unsigned char *copy_bytes(const void *bytes, size_t count) {
  unsigned char *copy = (unsigned char *)malloc(count);
  if (copy == NULL) {
    printf("out of memory\n");
    exit(2);
  }
  memcpy(copy, bytes, count);
  return copy;
}

/* Steps `steps` times; returns every note given, or the first error. */
static inline int run_steps(cloth *sheet, int steps, float dt) {
  int notes = 0;
  for (int i = 0; i < steps; i++) {
    int result = cloth_step(sheet, dt);
    if (result < 0)
      return result;
    notes |= result;
  }
  return notes;
}

static inline point position_of(const cloth *sheet, int particle) {
  cloth_vector v = {NAN, NAN, NAN};
  cloth_get_position(sheet, particle, &v);
  return point_of(v);
}

static inline point velocity_of(const cloth *sheet, int particle) {
  cloth_vector v = {NAN, NAN, NAN};
  cloth_get_velocity(sheet, particle, &v);
  return point_of(v);
}

static inline int all_finite(const cloth *sheet) {
  cloth_range x, v;
  cloth_positions(sheet, &x);
  cloth_velocities(sheet, &v);
  for (int i = 0; i < x.count; i++) {
    if (!isfinite(x.x[i]) || !isfinite(x.y[i]) || !isfinite(x.z[i]))
      return 0;
    if (!isfinite(v.x[i]) || !isfinite(v.y[i]) || !isfinite(v.z[i]))
      return 0;
  }
  return 1;
}

/// Schemes ///

/* The scheme that a suite tests at the moment. Suites of what holds for any cloth go through their tests with both,
   those of the solver set it once. */
static int tested_tiers = 2;

static inline cloth_config tested_config(void) {
  cloth_config config = cloth_config_default();
  if (tested_tiers == 2)
    use_two_tiers(&config);
  else
    use_projection(&config);
  return config;
}

/* A square sheet of 1 m x 1 m in the x-z plane at a height, of n x n particles. */
static inline cloth_config square_config(int n, double height) {
  cloth_config config = tested_config();
  config.columns = n;
  config.rows = n;
  config.origin = vector_at(-0.5, height, -0.5);
  return config;
}

/* The mass of a particle, told by the speed a small kick gives it in a copy of the cloth. */
static inline double particle_mass(const specimen *s, int particle) {
  unsigned char *allocation;
  unsigned char *copy = guarded_buffer(s->memory.total_bytes, 0, &allocation);
  memcpy(copy, s->arena, s->memory.total_bytes);
  cloth *sheet = (cloth *)(void *)copy;
  cloth_release(sheet, particle);
  cloth_set_particle(sheet, particle, vector_of(position_of(sheet, particle)), vector_at(0.0, 0.0, 0.0));
  cloth_apply_impulse(sheet, particle, vector_at(1e-4, 0.0, 0.0));
  double mass = 1e-4 / velocity_of(sheet, particle).x;
  free(allocation);
  return mass;
}

/// Random numbers ///

/* SplitMix64: the same sequence for the same seed on every machine. */
typedef struct random_source {
  uint64_t state;
} random_source;

static inline uint64_t random_bits(random_source *source) {
  source->state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = source->state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Evenly from low to high, both included. */
static inline int random_int(random_source *source, int low, int high) {
  return low + (int)(random_bits(source) % (uint64_t)(high - low + 1));
}

/* Evenly from low to high. */
static inline double random_real(random_source *source, double low, double high) {
  return low + (high - low) * (double)(random_bits(source) >> 11) * (1.0 / 9007199254740992.0);
}

#endif
