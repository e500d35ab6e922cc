#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/step_origin.h"

/// Blended output ///

/* Positions between those that the caller has kept and those of now. Scratch: product, until the call ends. */

#if WITH_BLEND

int cloth_keep_positions(const cloth *c, cloth_blend *blend) {
  int error = check_call(c, blend);
  if (error) { return error; }
  if (!blend->positions) { return CLOTH_ERROR_NULL; }
  if (blend->count != c->count) { return CLOTH_ERROR_BUFFER; }
  const vector_array x = vectors_at(c, c->state.position);
  blend->origin = inputs_of(c)->origin;
  for (int32_t i = 0; i < c->count; i++) {
    blend->positions[i] = vector_load(x, i);
  }
  return CLOTH_OK;
}

static int check_blend(const cloth *c, const cloth_blend *blend) {
  if (!c->has_scratch) { return CLOTH_ERROR_STATE; }
  if (!blend->positions) { return CLOTH_ERROR_NULL; }
  if (blend->count != c->count) { return CLOTH_ERROR_BUFFER; }
  int fits = in_range(blend->fraction, 0.0f, 1.0f) && are_metres_within(blend->origin, CLOTH_ORIGIN_LIMIT);
  for (int32_t i = 0; fits && i < c->count; i++) {
    fits = vector_in_range(blend->positions[i], CLOTH_POSITION_LIMIT);
  }
  return fits ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

/* Writes the blended positions, relative to the origin of the cloth as it is now. A fraction of 0 gives those that were
   kept and 1 those of now, to the bit, and so does any where a particle has not moved. */
static vector_array blended_positions(const cloth *c, const cloth_blend *blend) {
  const vector_array x = vectors_at(c, c->state.position), blended = predicted_of(c);
  const cloth_metres here = inputs_of(c)->origin, there = blend->origin;
  const cloth_vector way = vector((float)(there.x - here.x), (float)(there.y - here.y), (float)(there.z - here.z));
  const float fraction = flush_small(blend->fraction, WORK_QUANTUM);
  for (int32_t i = 0; i < c->count; i++) {
    const cloth_vector now = vector_load(x, i);
    const cloth_vector before = vector_add(vector_flush(blend->positions[i], STATE_QUANTUM), way);
    const cloth_vector between = vector_add_scaled(before, vector_subtract(now, before), fraction);
    vector_store(blended, i, fraction < 1.0f ? vector_flush(between, STATE_QUANTUM) : now);
  }
  return blended;
}

#endif
