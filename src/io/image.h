#pragma once
#include "image_check.h"

/// Hashes, saves and images of the state ///

/* The state consists of words of 4 bytes, but for freedoms and ages at its start: bytes, hashed as little-endian words.
   So its hash is the same for either byte order. A save is a header, then a copy of the state, for rollback, without a
   checksum, which would take several times as long as the copy. An image is portable: a header, then the state word by
   word, little-endian. Reading checks everything before it writes. */

/* Bytes of the freedoms, and of the ages of self-contact that follow them. */
static uint32_t freedom_bytes(const cloth *c) {
  return c->state.colliders - c->state.freedom;
}

/* Words of the state from the colliders, which follow the freedoms, to its end. */
static int32_t state_words(const cloth *c) {
  return (int32_t)((c->state.end - c->state.colliders) / 4u);
}

static const any_word *words_at(const cloth *c, uint32_t offset) {
  return (const any_word *)at(c, offset);
}

static void hash_bytes(hasher *h, const uint8_t *bytes, uint32_t count) {
  for (uint32_t i = 0; i < count; i += 4) {
    hash_word(h, little_endian_word(bytes + i));
  }
}

static uint64_t hash_state(const cloth *c) {
  hasher h;
  hash_start(&h);
  hash_bytes(&h, freedom_of(c), freedom_bytes(c));
  hash_words(&h, words_at(c, c->state.colliders), state_words(c));
  return hash_end(&h);
}

int cloth_hash(const cloth *c, uint64_t *hash) {
  const int error = check_call(c, hash);
  if (!error) { *hash = hash_state(c); }
  return error;
}

uint32_t cloth_hash_fold(uint64_t hash) {
  return (uint32_t)hash ^ (uint32_t)(hash >> 32);
}

int cloth_save(const cloth *c, void *buffer, size_t bytes) {
  RETURN_IF_ERROR(check_call(c, buffer));
  if (!is_room(c, buffer, bytes, SAVE_HEADER_BYTES + c->state_bytes)) { return CLOTH_ERROR_BUFFER; }
  copy_memory(buffer, c, SAVE_HEADER_BYTES);
  copy_memory((uint8_t *)buffer + SAVE_HEADER_BYTES, at(c, c->state.freedom), c->state_bytes);
  return CLOTH_OK;
}

int cloth_load(cloth *c, const void *buffer, size_t bytes) {
  RETURN_IF_ERROR(check_call(c, buffer));
  if (bytes < SAVE_HEADER_BYTES) { return CLOTH_ERROR_IMAGE_DAMAGED; }
  const uint8_t *from = (const uint8_t *)buffer;
  for (int32_t i = SAVE_MAGIC; i < SAVE_WORDS; i++, from += 4) {
    uint32_t word;
    copy_memory(&word, from, sizeof word);
    if (word != words_at(c, 0)[i]) { return i < SAVE_BYTES ? CLOTH_ERROR_IMAGE_VERSION : CLOTH_ERROR_IMAGE_CONFIG; }
  }
  if (bytes < SAVE_HEADER_BYTES + c->state_bytes) { return CLOTH_ERROR_IMAGE_DAMAGED; }
  const image_view view = {c, from, 1};
  if (WITH_SAVE_CHECKS && !check_image_content(&view)) { return CLOTH_ERROR_IMAGE_CONTENT; }
  copy_memory(at(c, c->state.freedom), from, c->state_bytes);
  return CLOTH_OK;
}

/// Portable images ///

/* Words of the header of an image: magic and versions, from IMAGE_BYTES on what has to fit the cloth, and the hash of
   the state, low word first. */
enum { IMAGE_BYTES = 3, IMAGE_HASH = 10, IMAGE_HEADER_WORDS = IMAGE_HEADER_BYTES / 4 };
typedef struct image_header {
  uint32_t word[IMAGE_HEADER_WORDS];
} image_header;

static image_header describe_image(const cloth *c, uint64_t hash) {
  return (image_header){{CLOTH_IMAGE_MAGIC, CLOTH_STATE_VERSION, CLOTH_NUMERICS_VERSION,
                         IMAGE_HEADER_BYTES + c->state_bytes, (uint32_t)c->grid.columns, (uint32_t)c->grid.rows,
                         (uint32_t)c->settings.capacity.max_colliders, (uint32_t)c->settings.capacity.max_confined,
                         c->config_hash[0], c->config_hash[1], (uint32_t)hash, (uint32_t)(hash >> 32)}};
}

static void write_words(uint8_t *to, const any_word *words, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    for (int32_t byte = 0; byte < 4; byte++) {
      to[4 * i + byte] = (uint8_t)(words[i] >> (8 * byte));
    }
  }
}

/* The error of a header that does not belong to an image of a cloth like this one, or CLOTH_OK. */
static int check_image_header(const cloth *c, const image_header *header, size_t bytes) {
  const image_header expected = describe_image(c, 0);
  for (int32_t i = 0; i < IMAGE_HASH; i++) {
    if (header->word[i] != expected.word[i]) {
      return i < IMAGE_BYTES ? CLOTH_ERROR_IMAGE_VERSION : CLOTH_ERROR_IMAGE_CONFIG;
    }
  }
  return bytes < header->word[IMAGE_BYTES] ? CLOTH_ERROR_IMAGE_DAMAGED : CLOTH_OK;
}

#if WITH_IMAGE

int cloth_write_image(const cloth *c, void *image, size_t bytes) {
  RETURN_IF_ERROR(check_call(c, image));
  if (!is_room(c, image, bytes, IMAGE_HEADER_BYTES + c->state_bytes)) { return CLOTH_ERROR_BUFFER; }
  const image_header header = describe_image(c, hash_state(c));
  uint8_t *to = (uint8_t *)image + IMAGE_HEADER_BYTES;
  write_words((uint8_t *)image, header.word, IMAGE_HEADER_WORDS);
  copy_memory(to, freedom_of(c), freedom_bytes(c));
  write_words(to + freedom_bytes(c), words_at(c, c->state.colliders), state_words(c));
  return CLOTH_OK;
}

int cloth_read_image(cloth *c, const void *image, size_t bytes) {
  RETURN_IF_ERROR(check_call(c, image));
  if (bytes < IMAGE_HEADER_BYTES) { return CLOTH_ERROR_IMAGE_DAMAGED; }
  image_header header;
  const image_view view = {c, (const uint8_t *)image + IMAGE_HEADER_BYTES, 0};
  read_words(header.word, (const uint8_t *)image, IMAGE_HEADER_WORDS);
  RETURN_IF_ERROR(check_image_header(c, &header, bytes));
  hasher h;
  hash_start(&h);
  hash_bytes(&h, view.state, c->state_bytes);
  const uint64_t hash = hash_end(&h);
  if (header.word[IMAGE_HASH] != (uint32_t)hash || header.word[IMAGE_HASH + 1] != (uint32_t)(hash >> 32)) {
    return CLOTH_ERROR_IMAGE_DAMAGED;
  }
  if (!check_image_content(&view)) { return CLOTH_ERROR_IMAGE_CONTENT; }
  copy_memory(freedom_of(c), view.state, freedom_bytes(c));
  read_words((any_word *)at(c, c->state.colliders), image_at(&view, c->state.colliders), state_words(c));
  return CLOTH_OK;
}

#endif
