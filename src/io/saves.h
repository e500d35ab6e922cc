#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/state.h"
#include "../cloth/types.h"
#include "image.h"
#include "image_view.h"

/// Saves ///

/* Saves for rollback: a header, then a copy of the state. cloth_load() checks before it writes, so that a step stays
   in bounds and finite from any bytes: the header; inputs, colliders, confinements and freedoms as in images; of the
   arrays every float's range and every index. There is no checksum, which would take several times as long as the
   copy. */

int cloth_save(const cloth *c, void *buffer, size_t bytes) {
  int error = check_call(c, buffer);
  if (error) { return error; }
  if (!is_room(c, buffer, bytes, SAVE_HEADER_BYTES + c->state_bytes)) { return CLOTH_ERROR_BUFFER; }
  copy_memory(buffer, c, SAVE_HEADER_BYTES);
  copy_memory((uint8_t *)buffer + SAVE_HEADER_BYTES, at(c, c->state.freedom), c->state_bytes);
  return CLOTH_OK;
}

#if WITH_SAVE_CHECKS

/* The next float above a positive one. */
static float next_above(float value) {
  float_bits b = float_to_bits(value);
  b.bits++;
  return b.value;
}

/* The lanes of a block of floats of any alignment that are nearer to 0 than `beyond`; none that is no number. */
CLOTH_INLINE lanes_mask are_below(const uint8_t *from, lanes beyond) {
  float block[CLOTH_LANES];
  copy_memory(block, from, sizeof block);
  return lanes_less(lanes_absolute(lanes_load(block)), beyond);
}

/* Are all floats within +-limit? Infinity and what is no number are not. */
CLOTH_HOT CLOTH_SEPARATE int are_within(const uint8_t *from, int32_t count, float limit) {
  enum { BLOCK = CLOTH_LANES * (int32_t)sizeof(float), AT_ONCE = 4 * CLOTH_LANES };
  const lanes beyond = lanes_splat(next_above(limit));
  const lanes one = lanes_splat(1.0f);
  const uint8_t *end = from + (count - count % AT_ONCE) * (int32_t)sizeof(float);
  lanes_mask within = lanes_first(CLOTH_LANES);
  for (; from < end; from += 4 * BLOCK) {
    const lanes_mask first = lanes_both(are_below(from, beyond), are_below(from + BLOCK, beyond));
    const lanes_mask last = lanes_both(are_below(from + 2 * BLOCK, beyond), are_below(from + 3 * BLOCK, beyond));
    within = lanes_both(within, lanes_both(first, last));
  }
  for (int32_t i = 0; i < count % AT_ONCE; i++) {
    float value;
    copy_memory(&value, from + i * (int32_t)sizeof(float), sizeof value);
    within = lanes_both(within, lanes_less(lanes_absolute(lanes_splat(value)), beyond));
  }
  return !lanes_any(lanes_less(lanes_keep(within, one), one));
}

/* Are the floats of all vector arrays in range, those of the pads between their components included? */
static int check_save_vectors(const image_view *view) {
  const cloth *c = view->c;
  const state_offsets *state = &c->state;
  const int32_t one = 3 * c->stride;
  const uint32_t bytes = (uint32_t)one * (uint32_t)sizeof(float);
  const uint32_t offsets[] = {state->position,
                              state->velocity,
                              state->velocity_history,
                              state->targets,
                              state->targets + bytes,
                              state->targets + 3 * bytes,
                              state->targets + TARGET_MOTIONS * bytes};
  const int32_t vectors[] = {1, 1, history_length(c), 1, 2, 2, 1};
  const float limits[] = {CLOTH_POSITION_LIMIT, CLOTH_SPEED_LIMIT, HISTORY_INVALID, CLOTH_ANY_DISTANCE,
                          CLOTH_POSITION_LIMIT, UNIT_LENGTH_MAX,   MAX_DRIVE};
  const int32_t arrays = state->targets ? 6 + (TARGET_VECTORS - TARGET_MOTIONS) : 3;
  for (int32_t i = 0; i < arrays; i++) {
    if (offsets[i] && !are_within(image_at(view, offsets[i]), vectors[i] * one, limits[i])) { return 0; }
  }
  return !MEMORY_START(c) || are_within(image_at(view, MEMORY_START(c)), MEMORY_PLANES * c->stride, MEMORY_LIMIT);
}

/* The larger of a number and an anchor plus 1. */
CLOTH_INLINE uint32_t with_anchor(uint32_t highest, const uint8_t *from) {
  uint32_t anchor;
  copy_memory(&anchor, from, sizeof anchor);
  return anchor + 1u > highest ? anchor + 1u : highest;
}

/* Is the anchor of every tether a particle, or -1? */
CLOTH_HOT CLOTH_SEPARATE int check_save_tethers(const image_view *view) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.tethers);
  const int32_t tethers = c->state.tethers ? c->settings.tethers.count * c->count : 0;
  uint32_t even = 0, odd = 0; /* the highest anchor, plus 1, of every other word */
  int32_t i = 0;
  for (; i + 4 <= tethers; i += 4, from += 16) {
    even = with_anchor(with_anchor(even, from), from + 8);
    odd = with_anchor(with_anchor(odd, from + 4), from + 12);
  }
  for (; i < tethers; i++, from += 4) {
    even = with_anchor(even, from);
  }
  return even <= (uint32_t)c->count && odd <= (uint32_t)c->count;
}

static int check_save_content(const cloth *c, const uint8_t *state) {
  const image_view view = {c, state, 1};
  cloth_inputs inputs;
  return check_image_inputs(&view, &inputs) && check_image_colliders(&view, &inputs) &&
         check_image_confined(&view, &inputs) && check_image_coupling(&view, &inputs) && check_image_gaps(&view) &&
         check_save_vectors(&view) && check_image_sleep(&view, inputs.rest_time) && check_save_tethers(&view);
}

#else

static int check_save_content(const cloth *c, const uint8_t *state) {
  (void)c;
  (void)state;
  return 1;
}

#endif

int cloth_load(cloth *c, const void *buffer, size_t bytes) {
  int error = check_call(c, buffer);
  if (error) { return error; }
  if (bytes < SAVE_HEADER_BYTES) { return CLOTH_ERROR_IMAGE_DAMAGED; }
  const uint8_t *from = (const uint8_t *)buffer;
  for (int32_t i = SAVE_MAGIC; i < SAVE_WORDS; i++, from += 4) {
    uint32_t word;
    copy_memory(&word, from, sizeof word);
    if (word != words_at(c, 0)[i]) { return i < SAVE_BYTES ? CLOTH_ERROR_IMAGE_VERSION : CLOTH_ERROR_IMAGE_CONFIG; }
  }
  if (bytes < SAVE_HEADER_BYTES + c->state_bytes) { return CLOTH_ERROR_IMAGE_DAMAGED; }
  if (!check_save_content(c, from)) { return CLOTH_ERROR_IMAGE_CONTENT; }
  copy_memory(at(c, c->state.freedom), from, c->state_bytes);
  return CLOTH_OK;
}
