#pragma once
#include "../cloth/access.h"

/// Memory of contact ///

/*
 * What a particle keeps of its contacts from one substep to the next, part of the state: of two colliders, those that
 * press most, the force that each has given [N], and the anchor, the point of the collider that friction holds the
 * particle to, in its axes [m]. A contact that is not kept begins anew.
 *
 * In and out: the memory (state). Scratch: none.
 */

/* Contacts that a particle remembers. */
#define MEMORY_SLOTS 2

/* Floats of a slot: which collider, 0 for none, see memory_code(); force; anchor. */
enum { MEMORY_CODE, MEMORY_FORCE, MEMORY_ANCHOR = MEMORY_FORCE + 3, MEMORY_FLOATS = MEMORY_ANCHOR + 3 };

static float *memory_of(const cloth *c, int32_t slot, int32_t what) {
  return floats_at(c, c->state.touching) + (slot * MEMORY_FLOATS + what) * c->stride;
}

static vector_array memory_vectors(const cloth *c, int32_t slot, int32_t what) {
  return (vector_array){memory_of(c, slot, what), memory_of(c, slot, what + 1), memory_of(c, slot, what + 2)};
}

/* A particle may touch several faces of a collider. Each is remembered as a collider of its own: the first under the
   collider's number, the others under larger ones. */
#define FACE_NUMBERS 2048
#define MOST_FACES 3

LAYOUT_CONTRACT(numbers_of_faces_suffice, CLOTH_COLLIDER_LIMIT + CLOTH_SHARED_BODY_LIMIT <= FACE_NUMBERS);

static int32_t face_number(int32_t collider, int32_t face) {
  return collider + face * FACE_NUMBERS;
}

/* The code of a collider that holds by friction; one more: it slides. Below 0: it does not press. */
static float memory_code(int32_t collider) {
  return (float)(2 * (collider + 1));
}

/* What a block of particles remembers of a collider: 0 where it does not. */
typedef struct remembered {
  lanes_mask known, slides;
  lanes3 force, anchor;
} remembered;

CLOTH_INLINE remembered remember(const cloth *c, int32_t collider, int32_t particle) {
  const lanes code = lanes_splat(memory_code(collider)), over = lanes_splat(memory_code(collider) + 1.5f);
  const lanes least = lanes_splat(memory_code(collider) - 0.5f);
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  lanes found = lanes_splat(0.0f);
  remembered m = {.force = none, .anchor = none};
  for (int32_t slot = 0; slot < MEMORY_SLOTS; slot++) {
    const lanes kept = lanes_absolute(lanes_load(memory_of(c, slot, MEMORY_CODE) + particle));
    const lanes_mask is_it = lanes_both(lanes_less(least, kept), lanes_less(kept, over));
    found = lanes_select(is_it, kept, found);
    m.force = lanes3_select(is_it, lanes3_load(memory_vectors(c, slot, MEMORY_FORCE), particle), m.force);
    m.anchor = lanes3_select(is_it, lanes3_load(memory_vectors(c, slot, MEMORY_ANCHOR), particle), m.anchor);
  }
  m.known = lanes_less(lanes_splat(0.0f), found);
  m.slides = lanes_less(code, found);
  return m;
}

/* Forgets all contacts of a particle. */
static void forget_touching(const cloth *c, int32_t particle) {
  for (int32_t slot = 0; c->state.touching && slot < MEMORY_SLOTS; slot++) {
    for (int32_t what = 0; what < MEMORY_FLOATS; what++) {
      memory_of(c, slot, what)[particle] = 0.0f;
    }
  }
}

static void forget_all_touching(const cloth *c) {
  for (int32_t slot = 0; slot < MEMORY_SLOTS; slot++) {
    clear_floats(memory_of(c, slot, MEMORY_CODE), c->count);
  }
}

static void forget_collider(const cloth *c, int32_t collider) {
  for (int32_t n = 0; c->state.touching && n < MOST_FACES * MEMORY_SLOTS * c->count; n++) {
    const int32_t face = n % MOST_FACES, slot = n / MOST_FACES % MEMORY_SLOTS, i = n / (MOST_FACES * MEMORY_SLOTS);
    const float least = memory_code(face_number(collider, face));
    float *code = memory_of(c, slot, MEMORY_CODE) + i;
    *code = absolute(*code) >= least && absolute(*code) <= least + 1.0f ? 0.0f : *code;
  }
}
