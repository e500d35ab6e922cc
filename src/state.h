#pragma once
#include "access.h"
#include "hash.h"
#include "scalar.h"
#include "types.h"

/// State ///

/*
 * Saves, and the hash of a state. In and out: the state span of the arena. Scratch is not used.
 *
 * The state consists of words of 4 bytes, floats and integers, except for the freedoms and ages at its start, which are
 * bytes and are hashed as little-endian words. So the hash is the same on machines of either byte order.
 */
static uint32_t little_endian_word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Words of the freedoms, and of the ages of self-contact that follow them. */
static int32_t freedom_words(const cloth *c) {
  return (int32_t)((c->state.colliders - c->state.freedom) / 4u);
}

/* Words of the state from the colliders, which follow the freedoms, to its end. */
static int32_t state_words(const cloth *c) {
  return (int32_t)((c->state.end - c->state.colliders) / 4u);
}

static const any_word *words_at(const cloth *c, uint32_t offset) {
  return (const any_word *)at(c, offset);
}

static uint64_t hash_state(const cloth *c) {
  hasher h;
  hash_start(&h);
  for (int32_t i = 0; i < freedom_words(c); i++) {
    hash_word(&h, little_endian_word(freedom_of(c) + 4 * i));
  }
  hash_words(&h, words_at(c, c->state.colliders), state_words(c));
  return hash_end(&h);
}

int cloth_hash(const cloth *c, uint64_t *hash) {
  int error = check_call(c, hash);
  if (error) {
    return error;
  }
  *hash = hash_state(c);
  return CLOTH_OK;
}

uint32_t cloth_hash_fold(uint64_t hash) {
  return (uint32_t)hash ^ (uint32_t)(hash >> 32);
}

/* First word of a save. A machine of the other byte order reads another number and refuses the save. */
#define SAVE_MAGIC 0x65766173u

/* The header of a save: magic number, bytes of state, hash of the config. */
static void describe_save(const cloth *c, uint32_t header[SAVE_HEADER_BYTES / 4]) {
  header[0] = SAVE_MAGIC;
  header[1] = c->state.end - c->state.freedom;
  header[2] = c->config_hash[0];
  header[3] = c->config_hash[1];
}

int cloth_save(const cloth *c, void *buffer, size_t bytes) {
  int error = check_call(c, buffer);
  if (error) {
    return error;
  }
  uint32_t header[SAVE_HEADER_BYTES / 4];
  describe_save(c, header);
  if (bytes < SAVE_HEADER_BYTES + header[1]) {
    return CLOTH_ERROR_BUFFER;
  }
  copy_memory(buffer, header, SAVE_HEADER_BYTES);
  copy_memory((uint8_t *)buffer + SAVE_HEADER_BYTES, at(c, c->state.freedom), header[1]);
  return CLOTH_OK;
}

int cloth_load(cloth *c, const void *buffer, size_t bytes) {
  int error = check_call(c, buffer);
  if (error) {
    return error;
  }
  if (bytes < SAVE_HEADER_BYTES) {
    return CLOTH_ERROR_IMAGE_DAMAGED;
  }
  uint32_t header[SAVE_HEADER_BYTES / 4];
  uint32_t expected[SAVE_HEADER_BYTES / 4];
  copy_memory(header, buffer, SAVE_HEADER_BYTES);
  describe_save(c, expected);
  if (header[0] != expected[0]) {
    return CLOTH_ERROR_IMAGE_VERSION;
  }
  if (header[1] != expected[1] || header[2] != expected[2] || header[3] != expected[3]) {
    return CLOTH_ERROR_IMAGE_CONFIG;
  }
  if (bytes < SAVE_HEADER_BYTES + header[1]) {
    return CLOTH_ERROR_IMAGE_DAMAGED;
  }
  copy_memory(at(c, c->state.freedom), (const uint8_t *)buffer + SAVE_HEADER_BYTES, header[1]);
  return CLOTH_OK;
}
