/* SPDX-License-Identifier: MIT */
#include "callbacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static size_t saved_bytes(const cloth *c) {
  cloth_memory memory;
  return cloth_get_memory(c, &memory) < 0 ? 0 : memory.saved_bytes;
}

size_t world_bytes(const cloth_world *world) {
  size_t bytes = 0;
  for (int i = 0; i < world->count; i++) {
    size_t one = saved_bytes(world->cloths[i]);
    if (one == 0) return 0;
    bytes += one;
  }
  return bytes;
}

int world_write(const cloth_world *world, unsigned char *to, unsigned *checksum) {
  uint32_t sum = 0;
  for (int i = 0; i < world->count; i++) {
    uint64_t hash = 0;
    size_t bytes = saved_bytes(world->cloths[i]);
    if (cloth_save(world->cloths[i], to, bytes) < 0 || cloth_hash(world->cloths[i], &hash) < 0) return 0;
    sum = sum * UINT32_C(0x01000193) ^ cloth_hash_fold(hash); /* the order counts */
    to += bytes;
  }
  if (checksum) *checksum = sum;
  return 1;
}

int world_read(const cloth_world *world, const unsigned char *from, size_t bytes) {
  if (bytes != world_bytes(world)) return 0;
  for (int i = 0; i < world->count; i++) {
    size_t one = saved_bytes(world->cloths[i]);
    if (cloth_load(world->cloths[i], from, one) < 0) return 0;
    from += one;
  }
  return 1;
}

int world_save(const cloth_world *world, unsigned char **buffer, int *bytes, int *checksum) {
  size_t size = world_bytes(world);
  unsigned sum = 0;
  *buffer = size > 0 ? malloc(size) : NULL;
  if (!*buffer || !world_write(world, *buffer, &sum)) {
    free(*buffer);
    *buffer = NULL;
    return 0;
  }
  *bytes = (int)size;
  *checksum = (int)sum;
  return 1;
}

void world_free(void *buffer) {
  free(buffer);
}

static void print_vectors(FILE *file, const char *name, const cloth_vector_view *view) {
  for (int32_t i = 0; i < view->count; i++)
    fprintf(file, "  %s %" PRId32 " %a %a %a\n", name, i, (double)view->x[i], (double)view->y[i], (double)view->z[i]);
}

/* Writes the present state of all cloths. */
static void print_world(const cloth_world *world, FILE *file) {
  for (int i = 0; i < world->count; i++) {
    cloth_vector_view positions, velocities;
    fprintf(file, "cloth %d\n", i);
    if (cloth_get_positions(world->cloths[i], &positions) >= 0 &&
        cloth_get_velocities(world->cloths[i], &velocities) >= 0) {
      print_vectors(file, "position", &positions);
      print_vectors(file, "velocity", &velocities);
    }
  }
}

int world_log(const cloth_world *world, const char *name, const unsigned char *from, size_t bytes) {
  unsigned char *present = malloc(world_bytes(world) + 1);
  int done = present && world_write(world, present, NULL) && world_read(world, from, bytes);
  FILE *file = done ? fopen(name, "w") : NULL;
  if (file) print_world(world, file);
  done = file && fclose(file) == 0;
  if (present) done &= world_read(world, present, world_bytes(world));
  free(present);
  return done;
}
