#pragma once
#include "access.h"

/// Bodies ///

/* Colliders with mass, the particles that are attached to colliders, and what bodies are as unknowns. In: state. */

static rigid_body *bodies_of(const cloth *c) {
  return (rigid_body *)at(c, c->state.bodies);
}

static int32_t body_count_of(const cloth *c) {
  return WITH_BODIES ? inputs_of(c)->body_count : 0;
}

static rigid_body *find_body(const cloth *c, int32_t collider) {
  for (int32_t n = 0; n < body_count_of(c); n++) {
    if (bodies_of(c)[n].collider == collider) { return &bodies_of(c)[n]; }
  }
  return NULL;
}

static attachment *attachments_of(const cloth *c) {
  return (attachment *)at(c, c->state.attachments);
}

static attachment *find_attachment(const cloth *c, int32_t particle) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    if (attachments_of(c)[n].particle == particle) { return &attachments_of(c)[n]; }
  }
  return NULL;
}

/* 1 if a particle is attached to a body: it moves with the cloth, and anchors nothing. */
static int is_on_body(const cloth *c, int32_t particle) {
  const attachment *a = WITH_BODIES ? find_attachment(c, particle) : NULL;
  return a && find_body(c, a->collider);
}

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

/* What a part of a substep keeps of a collider with mass, in scratch.bodies: Y, the displacement of its centre from
   where its own motion leads, and theta, its rotation from there. */

/* Unknowns of a body: three of Y [m], then three of theta [rad]. */
#define BODY_UNKNOWNS 6
/* Entries of the lower half of a symmetric matrix of that order, row by row. */
#define BODY_ENTRIES (BODY_UNKNOWNS * (BODY_UNKNOWNS + 1) / 2)

typedef struct body_unknown {
  struct body_unknown *leader; /* of another cloth of the group, which has the unknowns of this body; NULL: these are */
  float ratio;                 /* with a leader: its scale over that of this cloth */
  int32_t collider;
  int32_t turns, joins;  /* 0 for a body that no torque turns; that nothing touches */
  cloth_pose from;       /* as the part begins */
  cloth_pose start, end; /* relative to the origin of the step: as the part begins, and where its own motion leads */
  cloth_vector centre;   /* there, where the equation is linearised; `end` becomes where it is at last */
  cloth_vector spin;     /* where its own motion leads [rad/s] */
  lanes_sum pressed;     /* what contacts press it with, scaled [m] */
  float factor[BODY_ENTRIES]; /* its own block of the operator, and then its Cholesky factor */
  float residual[BODY_UNKNOWNS], solution[BODY_UNKNOWNS], direction[BODY_UNKNOWNS];
  float pull[BODY_UNKNOWNS]; /* A_bp times the direction or the solution */
} body_unknown;

static body_unknown *body_unknowns_of(const cloth *c) {
  return (body_unknown *)at(c, c->scratch.bodies);
}

/* The unknowns of a collider; NULL for one without mass. */
static body_unknown *find_unknown(const cloth *c, int32_t collider) {
  body_unknown *u = body_unknowns_of(c);
  for (int32_t n = 0; n < body_count_of(c); n++) {
    if (u[n].collider == collider) { return &u[n]; }
  }
  return NULL;
}

/* 1 if the cloth touches a body, or particles are attached to one. */
static int has_joined_bodies(const cloth *c) {
  int has = 0;
  for (int32_t n = 0; n < body_count_of(c); n++) {
    has |= body_unknowns_of(c)[n].joins;
  }
  return has;
}
