#pragma once
#include "../base/compiler.h"
#include "access.h"
#include "types.h"

/// Lists of bodies ///

/* Colliders with mass, and the particles that are attached to colliders. In: state. */

#if WITH_BODIES

static rigid_body *bodies_of(const cloth *c) {
  return (rigid_body *)at(c, c->state.bodies);
}

/* The body of a collider, or NULL. */
static rigid_body *find_body(const cloth *c, int32_t collider) {
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    if (bodies_of(c)[n].collider == collider) { return &bodies_of(c)[n]; }
  }
  return NULL;
}

static attachment *attachments_of(const cloth *c) {
  return (attachment *)at(c, c->state.attachments);
}

/* The attachment of a particle, or NULL. */
static attachment *find_attachment(const cloth *c, int32_t particle) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    if (attachments_of(c)[n].particle == particle) { return &attachments_of(c)[n]; }
  }
  return NULL;
}

/* 1 if a particle is attached to a body: it moves with the cloth, and anchors nothing. */
static int is_on_body(const cloth *c, int32_t particle) {
  const attachment *a = find_attachment(c, particle);
  return a && find_body(c, a->collider);
}

#else

static int is_on_body(const cloth *c, int32_t particle) {
  (void)c;
  (void)particle;
  return 0;
}

#endif

/* 1 if a particle does not move by itself: it is pinned, and not attached to a body, which gives way. */
static int is_held(const cloth *c, int32_t particle) {
  return is_pinned(c, particle) && !is_on_body(c, particle);
}

/* The first held particle from one on; c->count if there is none. */
static int32_t next_held(const cloth *c, int32_t i) {
  i = next_pin(c, i);
  while (i < c->count && is_on_body(c, i)) {
    i = next_pin(c, i + 1);
  }
  return i;
}
