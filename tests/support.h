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

/* For qsort(). */
static inline int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
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

/* A cloth under test. */
typedef struct fixture {
  unsigned char *allocation;
  unsigned char *arena;
  cloth_memory memory;
  cloth *sheet;
  int columns, rows, count;
} fixture;

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
    if (before[i] != GUARD_VALUE || after[i] != GUARD_VALUE) return 0;
  }
  return 1;
}

/* Makes a cloth in an arena of exactly the size asked for. Garbage in the arena must not matter, hence the filling. */
static inline fixture fixture_make(const cloth_config *config) {
  fixture s;
  memset(&s, 0, sizeof s);
  int result = cloth_memory_needed(config, &s.memory);
  CHECK(result == CLOTH_OK, "cloth_memory_needed: %s", cloth_result_name(result));
  s.arena = guarded_buffer(s.memory.total_bytes, 0, &s.allocation);
  memset(s.arena, 0xcd, s.memory.total_bytes);
  result = cloth_init(config, s.arena, s.memory.total_bytes, &s.sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  if (result != CLOTH_OK) exit(2);
  s.columns = config->columns;
  s.rows = config->rows;
  s.count = s.columns * s.rows;
  return s;
}

static inline void fixture_free(fixture *s) {
  CHECK(guards_intact(s->arena, s->memory.total_bytes), "bytes outside the arena were written");
  free(s->allocation);
  memset(s, 0, sizeof *s);
}

static inline int fixture_particle(const fixture *s, int column, int row) {
  return row * s->columns + column;
}

static inline unsigned char *fixture_state(const fixture *s) {
  return s->arena + s->memory.state_offset;
}

static inline int same_state(const fixture *a, const fixture *b) {
  return a->memory.state_bytes == b->memory.state_bytes &&
         memcmp(fixture_state(a), fixture_state(b), a->memory.state_bytes) == 0;
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
    if (result < 0) return result;
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
  cloth_vector_view x, v;
  cloth_get_positions(sheet, &x);
  cloth_get_velocities(sheet, &v);
  for (int i = 0; i < x.count; i++) {
    if (!isfinite(x.x[i]) || !isfinite(x.y[i]) || !isfinite(x.z[i])) return 0;
    if (!isfinite(v.x[i]) || !isfinite(v.y[i]) || !isfinite(v.z[i])) return 0;
  }
  return 1;
}

static inline cloth_statistics read_statistics(const cloth *sheet) {
  cloth_statistics st;
  memset(&st, 0xff, sizeof st);
  cloth_get_statistics(sheet, &st);
  return st;
}

static inline uint64_t read_work(const cloth *sheet) {
  cloth_statistics st = read_statistics(sheet);
  return (uint64_t)st.work[1] << 32 | st.work[0];
}

static inline uint64_t read_hash(const cloth *sheet) {
  uint64_t hash = 0;
  cloth_hash(sheet, &hash);
  return hash;
}

/* A vertex of 32 bytes: position, normal, texture coordinates. */
static const cloth_vertex_layout layout_usual = {32, 0, 12, 24};

static inline cloth_collider collider_of(int32_t shape) {
  cloth_collider c = cloth_collider_default();
  c.shape = (int32_t)shape;
  c.radius = 0.2f;
  c.radius_top = 0.1f;
  c.half_height = 0.3f;
  c.half_extents = vector_at(0.1, 0.2, 0.3);
  return c;
}

/// Schemes ///

/* The scheme of schemes.h that tested_config() uses. Tests of what holds for any cloth run in both cases. */
enum { TWO_TIERS, PROJECTED };
static int tested_scheme = TWO_TIERS;

static inline const char *scheme_name(int number) {
  return number == TWO_TIERS ? "two_tiers" : "projected";
}

static inline void select_scheme(int number) {
  tested_scheme = number;
}

static const test_cases both_schemes = {TWO_TIERS, 2, scheme_name, select_scheme};
static const test_cases only_projected = {PROJECTED, 1, scheme_name, select_scheme};

/* The tested scheme with an exact start, so that expected positions are plain numbers. */
static inline cloth_config tested_config(void) {
  cloth_config config = cloth_config_default();
  config.grid.imperfection = 0.0f;
  if (tested_scheme == TWO_TIERS)
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
static inline double particle_mass(const fixture *s, int particle) {
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
