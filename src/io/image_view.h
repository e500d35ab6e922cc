#pragma once
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/state.h"
#include "../cloth/types.h"
#include "../contact/cell_memory.h"

/// A state in an image or a save ///

/*
 * How the state of an image or a save is read and checked, word by word, and the checks of what contacts remember.
 * check_image_...() return 1 for valid content. In: the caller's bytes. Out: nothing but results. Scratch: none.
 */

#if WITH_IMAGE || WITH_SAVE_CHECKS

static void read_words(any_word *words, const uint8_t *from, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    words[i] = little_endian_word(from + 4 * i);
  }
}

/* Is a word +0, or a finite float of at least 2^-40 in magnitude, as all floats of a state are? */
static int is_state_float(uint32_t word) {
  uint32_t exponent = (word >> 23) & 255u;
  return word == 0 || (exponent >= 127u - 40u && exponent < 255u);
}

/* The state in an image or a save, read at the offsets that its parts have in the cloth. */
typedef struct image_view {
  const cloth *c;
  const uint8_t *state;
  int32_t is_save; /* 1: its words are those of this machine, 0: they are little-endian */
} image_view;

static void read_view_words(const image_view *view, any_word *words, const uint8_t *from, int32_t count) {
  if (view->is_save) {
    copy_memory(words, from, 4 * (size_t)count);
  } else {
    read_words(words, from, count);
  }
}

static int are_state_floats(const image_view *view, const uint8_t *from, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    any_word word;
    read_view_words(view, &word, from + 4 * i, 1);
    if (!is_state_float(word)) { return 0; }
  }
  return 1;
}

/* Reads eight bytes at a time: a sleeping cloth has many zeros. */
static int is_zero(const uint8_t *from, size_t bytes) {
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t eight;
    copy_memory(&eight, from + i, sizeof eight);
    if (eight) { return 0; }
  }
  for (; i < bytes; i++) {
    if (from[i]) { return 0; }
  }
  return 1;
}

static const uint8_t *image_at(const image_view *view, uint32_t offset) {
  return view->state + (offset - view->c->state.freedom);
}

/* More than any number in the memory of contact. */
#define MEMORY_LIMIT 1.0e12f
/* By how much two weights of a point may exceed 1: roundings. */
#define MOST_WEIGHT_ERROR 1.0e-5f

#if WITH_COLLIDERS

/* Are floats in a range? */
static int are_image_floats(const image_view *view, const uint8_t *from, int32_t count, float low, float high) {
  for (int32_t i = 0; i < count; i++) {
    any_word word;
    float_bits b;
    read_view_words(view, &word, from + 4 * i, 1);
    b.bits = word;
    if (!is_state_float(word) || !in_range(b.value, low, high)) { return 0; }
  }
  return 1;
}

/* Does an entry of the memory of cells name a cell of the grid, and a point within its triangle? */
static int is_possible_cell(const image_view *view, const uint8_t *from) {
  const cloth *c = view->c;
  any_word words[4]; /* key, whether it slides, two weights */
  float_bits second, third;
  int32_t row, column;
  read_view_words(view, words, from, 4);
  cell_of_key(c, words[0], &row, &column);
  second.bits = words[2];
  third.bits = words[3];
  return row + 1 < c->grid.rows && column < cells_along_warp(c) && are_image_floats(view, from + 8, 2, 0.0f, 1.0f) &&
         second.value + third.value <= 1.0f + MOST_WEIGHT_ERROR;
}

/* Are the entries of the memory of cells possible, in the order of their keys, and is what follows them 0? */
static int check_image_cells(const image_view *view) {
  const cloth *c = view->c;
  if (!c->state.cells) { return 1; }
  const uint32_t most = c->state.max_cells, colliders = CLOTH_COLLIDER_LIMIT + CLOTH_SHARED_BODY_LIMIT;
  const uint8_t *from = image_at(view, c->state.cells);
  any_word head[CELL_MEMORY_HEAD];
  uint32_t last = 0;
  read_view_words(view, head, from, CELL_MEMORY_HEAD);
  if (head[0] > most || head[1] != 0u) { return 0; }
  from += CELL_MEMORY_HEAD * sizeof(uint32_t);
  for (uint32_t n = 0; n < head[0]; n++, from += sizeof(cell_memory)) {
    any_word words[2];
    read_view_words(view, words, from, 2);
    if ((n > 0 && words[0] <= last) || words[0] >= colliders << CELL_NUMBER_BITS || words[1] > 1u ||
        !is_possible_cell(view, from) || !are_image_floats(view, from + 16, 6, -MEMORY_LIMIT, MEMORY_LIMIT)) {
      return 0;
    }
    last = words[0];
  }
  return is_zero(from, (most - head[0]) * sizeof(cell_memory));
}

#endif

#endif
