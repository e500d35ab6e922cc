#pragma once
#include "../terms/confinement.h"
#include "attached.h"
#include "bodies.h"

/// Calls for bodies ///

/* Calls that give colliders mass, attach particles to them, and read what the cloth did. */

#define MIN_BODY_MASS 1.0e-6f
#define MAX_BODY_MASS 1.0e9f
#define MIN_BODY_INERTIA 1.0e-9f
#define MAX_BODY_INERTIA 1.0e12f

static int is_inertia(float value) {
  return in_range(value, MIN_BODY_INERTIA, MAX_BODY_INERTIA);
}

/* CLOTH_OK, or CLOTH_ERROR_RANGE. */
static int check_body(const cloth_body *body) {
  const cloth_vector i = body->inertia;
  const int turns = !vector_is_zero(i);
  const int is_body = in_range(body->mass, MIN_BODY_MASS, MAX_BODY_MASS) &&
                      (!turns || (is_inertia(i.x) && is_inertia(i.y) && is_inertia(i.z))) &&
                      vector_in_range(body->velocity, CLOTH_SPEED_LIMIT) && vector_in_range(body->spin, MAX_SPIN) &&
                      in_range(body->gravity, 0.0f, 1.0f);
  return is_body ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

#if WITH_BODIES

cloth_body cloth_body_default(const cloth_collider *collider, float mass) {
  cloth_body body;
  fill_zero(&body, sizeof body);
  body.mass = mass;
  body.gravity = 1.0f;
  if (!collider) { return body; }
  const cloth_vector h = collider->half_extents;
  const float radius =
      collider->shape == CLOTH_SHAPE_CAPSULE ? 0.5f * (collider->radius + collider->radius_top) : collider->radius;
  const float round = radius * radius, length = 2.0f * collider->half_height;
  float across = 0.0f, along = 0.0f; /* over the mass */
  switch (collider->shape) {
  case CLOTH_SHAPE_SPHERE:
    across = along = 0.4f * round;
    break;
  case CLOTH_SHAPE_CYLINDER:
    along = 0.5f * round;
    across = 0.25f * round + length * length * (1.0f / 12.0f);
    break;
  case CLOTH_SHAPE_CAPSULE: {
    /* A cylinder of the length l, and two half balls, whose centres of mass are 3/8 of the radius beyond its ends. */
    const float ball = 4.0f / 3.0f * radius / (length + 4.0f / 3.0f * radius), far = 0.5f * length + 0.375f * radius;
    along = (1.0f - ball) * 0.5f * round + ball * 0.4f * round;
    across = (1.0f - ball) * (0.25f * round + length * length * (1.0f / 12.0f)) +
             ball * ((0.4f - 0.140625f) * round + far * far);
    break;
  }
  case CLOTH_SHAPE_BOX:
  case CLOTH_SHAPE_HULL:
    body.inertia = vector(h.y * h.y + h.z * h.z, h.z * h.z + h.x * h.x, h.x * h.x + h.y * h.y);
    body.inertia = vector_scale(body.inertia, mass * (1.0f / 3.0f));
    return body;
  default:
    return body;
  }
  body.inertia = vector_scale(vector(across, along, across), mass);
  return body;
}

/* Lets the next step choose tethers anew, as none may lead to particles attached to a body. */
static void forget_tethers(const cloth *c) {
  if (inputs_of(c)->tethers_chosen == TETHERS_CHOSEN) { inputs_of(c)->tethers_chosen = TETHERS_STALE; }
}

int cloth_set_body(cloth *c, int32_t collider, const cloth_body *body) {
  RETURN_IF_ERROR(check_collider_index(c, collider));
  RETURN_IF_ERROR(body ? check_body(body) : CLOTH_OK);
  if (body && is_concave(&colliders_of(c)[collider].body)) { return CLOTH_ERROR_CONFLICT; }
  if (!body) {
    remove_body(c, collider);
    forget_tethers(c);
    return CLOTH_OK;
  }
  const rigid_body clean = {.collider = collider,
                            .mass = body->mass,
                            .inertia = body->inertia,
                            .velocity = vector_flush_state(body->velocity),
                            .spin = vector_flush_state(body->spin),
                            .gravity = flush_work(body->gravity)};
  rigid_body *stored = find_body(c, collider);
  if (!stored && inputs_of(c)->body_count == c->settings.capacity.max_bodies) { return CLOTH_ERROR_FULL; }
  if (!stored) {
    stored = &bodies_of(c)[inputs_of(c)->body_count++];
    forget_tethers(c);
  }
  set_input(c, stored, &clean, sizeof clean);
  return CLOTH_OK;
}

int cloth_get_body(const cloth *c, int32_t collider, cloth_body *body, cloth_pose *pose) {
  RETURN_IF_ERROR(check_collider_index(c, collider));
  if (!body || !pose) { return CLOTH_ERROR_NULL; }
  const rigid_body *stored = find_body(c, collider);
  if (!stored) { return CLOTH_ERROR_STATE; }
  body->mass = stored->mass;
  body->inertia = stored->inertia;
  body->velocity = stored->velocity;
  body->spin = stored->spin;
  body->gravity = stored->gravity;
  *pose = colliders_of(c)[collider].body.pose;
  return CLOTH_OK;
}

int cloth_attach(cloth *c, int32_t particle, int32_t collider, const cloth_vector *point) {
  RETURN_IF_ERROR(check_present(c, particle));
  RETURN_IF_ERROR(check_collider_index(c, collider));
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), particle);
  const cloth_vector local = point ? vector_flush_state(*point) : to_local(&colliders_of(c)[collider].previous, x);
  if (!vector_in_range(local, CLOTH_POSITION_LIMIT)) { return CLOTH_ERROR_RANGE; }
  const attachment wanted = {particle, collider, local};
  attachment *a = find_attachment(c, particle);
  if (!a && inputs_of(c)->attachment_count == c->settings.capacity.max_attachments) { return CLOTH_ERROR_FULL; }
  if (a && are_equal(a, &wanted, sizeof wanted)) { return CLOTH_OK; }
  remove_confinement(c, particle);
  set_freedom(c, particle, FREEDOM_PINNED);
  attachments_of(c)[inputs_of(c)->attachment_count++] = wanted;
  forget_tethers(c);
  wake(c);
  return CLOTH_OK;
}

int cloth_get_pin_reaction(const cloth *c, int32_t particle, cloth_vector *impulse) {
  RETURN_IF_ERROR(check_present(c, particle));
  if (!impulse) { return CLOTH_ERROR_NULL; }
  if (!c->settings.capacity.pin_reactions || (freedom_of(c)[particle] & FREEDOM_MASK) == FREEDOM_FREE) {
    return CLOTH_ERROR_STATE;
  }
  *impulse = ((const cloth_vector *)at(c, c->own.pin_reactions))[particle];
  return CLOTH_OK;
}

#endif
