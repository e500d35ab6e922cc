#pragma once
#include "access.h"
#include "bearing_solve.h"
#include "bodies.h"
#include "bodies/list.h"
#include "compiler.h"
#include "contact_links.h"
#include "costs.h"
#include "lanes.h"
#include "plan.h"
#include "rigid.h"
#include "scalar.h"
#include "types.h"

/// The response to contact ///

/*
 * How far particles in contact with a collider are moved: out of it along its normal, and against their slip by
 * friction. What lies over edges is answered by contact_links.h; what touches a body with mass shares its displacement
 * with it.
 *
 * In: contacts of a block, positions at the start of the substep (state), velocities, bodies. Out: what the functions
 * return; the motion of a body by its contacts, in workspace.body. Scratch: none.
 */

static const cloth_collider *shape_of(const cloth *c, const moving_body *m) {
  CLOTH_ASSERT(m->index >= 0 && m->index < collider_end(c));
  return &((const collider_slot *)at(c, m->slot))->body;
}

/* Coefficients of friction that act in this substep [1]. */
static float static_friction_of(const cloth *c, const moving_body *m) {
  return shape_of(c, m)->static_friction * workspace_of(c)->plan.friction_share;
}

static float kinetic_friction_of(const cloth *c, const moving_body *m) {
  return shape_of(c, m)->kinetic_friction * workspace_of(c)->plan.friction_share;
}

/* What contact counts on the way. */
typedef struct contact_tally {
  uint64_t work;        /* that depends on the state */
  int32_t overflows;    /* see cloth_statistics */
  int32_t tears, frees; /* see workspace */
} contact_tally;

/*
 * Contacts of a block of particles with one collider, in the collider's local axes. `touches`, as `uncertain` and
 * `under_way` of the functions below, holds floats, 1 or 0, and not a lanes_mask. They are chosen and dropped by other
 * masks, for which masks have no operations but lanes_both(), and they are summed to count contacts and work. With one
 * lane (scalar builds) a mask would also cost more: it is an integer, to which every comparison would be converted.
 */
typedef struct contact_block {
  contact_tally *tally;
  lanes3 from, to;   /* positions when the substep starts and ends, with the push [m] */
  lanes3 push;       /* part of `to` that is not kept, see contact_push.h [m] */
  lanes3 normal;     /* of the surface, where the particle touches it */
  lanes penetration; /* depth below the margin, along the normal, of `to` less the push [m] */
  lanes touches;     /* 1 for particles that touch, else 0 */
#if WITH_CONCAVE
  int32_t looked_at[CLOTH_LANES]; /* by searches for concave surfaces in this substep */
#endif
} contact_block;

/* to_local() for a block of points. */
CLOTH_INLINE lanes3 to_local_lanes(const moving_body *m, const cloth_pose *pose, lanes3 p) {
  p = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(pose->position)), STATE_QUANTUM);
  if (!m->aligned) {
    p = lanes3_flush_below(lanes3_rotate(rotation_conjugate(pose->rotation), p), STATE_QUANTUM);
  }
  return p;
}

#if WITH_CONTACT_LINES

/* to_world() for a block of points. */
CLOTH_INLINE lanes3 to_world_lanes(const moving_body *m, const cloth_pose *pose, lanes3 place) {
  const lanes3 turned = m->aligned ? place : lanes3_rotate(pose->rotation, place);
  return lanes3_add(turned, lanes3_splat(pose->position));
}

#endif

/* What a contact does to a block of particles, in the collider's axes. */
typedef struct contact_response {
  lanes3 correction; /* displacement [m] ... */
  lanes3 change;     /* ... and the part of it that changes velocities [m] */
  lanes3 sliding;    /* displacement along the surface that friction leaves, relative to the surface [m] */
  lanes touches;     /* 1 for particles that touch, else 0 */
  lanes_mask slides;
} contact_response;

/* 1 where a contact may have moved a particle of a block before in the substep. */
CLOTH_INLINE lanes_mask touches_again(const cloth *c, int32_t i, const contact_block *b) {
  const lanes_mask touches = lanes_less(lanes_splat(0.0f), b->touches);
  return c->state.velocity_history ? lanes_both(touches, has_no_history(lanes_load(history_of(c, 1).x + i))) : touches;
}

/* The displacements in the substep that count for friction and velocity, relative to the surface, in the collider's
   local axes. Of a particle that a contact has moved before in the substep it is what its velocity stands for: moving
   out of an older penetration adds no speed, and does not press against the collider opposite. */
CLOTH_INLINE lanes3 displacements_of(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                     lanes3 velocity, const contact_block *b) {
  lanes3 displacement = lanes3_subtract(lanes3_subtract(b->to, b->push), b->from);
  const lanes_mask again = touches_again(c, i, b);
  if (lanes_any(again) || c->settings.capacity.fixed_work) {
    const lanes3 x = lanes3_load(vectors_at(c, c->state.position), i);
    const lanes3 to = to_local_lanes(m, &m->end, lanes3_add_scaled(x, velocity, lanes_splat(plan->h)));
    displacement = lanes3_select(again, lanes3_subtract(to, b->from), displacement);
  }
  return displacement;
}

/* A coefficient of friction where links bend over an edge by the share g, see contact_links.h. Out of line: clang would
   join its division with that of response_to(), and divide unused lanes. */
CLOTH_SEPARATE lanes bent_friction(float friction, lanes share) {
  const lanes bent = lanes_subtract(lanes_splat(1.0f), share);
  const lanes capstan = lanes_add(lanes_splat(1.0f), lanes_multiply(lanes_splat(LINK_CAPSTAN * friction), bent));
  return lanes_divide(lanes_multiply(lanes_splat(friction), share), capstan);
}

/* The answers where links are not asked. */
CLOTH_INLINE link_answers no_links(void) {
  const lanes zero = lanes_splat(0.0f);
  const link_answers answers = {0, lanes_splat(1.0f), zero, {zero, zero, zero}};
  return answers;
}

/* Asks the links of each particle that touches, where they press against the collider, or are inside it. Unless any are
   asked only answers->asked is set. */
CLOTH_INLINE void ask_links(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                            const contact_block *b, lanes normal_correction, link_answers *answers) {
  const cloth_collider *body = shape_of(c, m);
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes_mask presses = lanes_less(lanes_splat(link_pressure(c)), normal_correction);
  const lanes_mask is_deep = lanes_less(lanes_splat(2.0f * m->margin), b->penetration);
  lanes ask = lanes_select(presses, one, lanes_select(is_deep, one, zero));
  ask = lanes_keep(lanes_both(lanes_less(zero, b->touches), lanes_first(c->count - i)), ask);
  answers->asked = 0;
  if (body->shape != CLOTH_SHAPE_PLANE && (c->settings.capacity.fixed_work || lanes_any(lanes_less(zero, ask)))) {
    b->tally->work += lanes_count(ask) * COST_LINKS;
    *answers = no_links();
    answers->kind = ask;
    answer_block(c, plan, body, m, i, &b->normal, answers);
  }
}

/* Changes the response for particles that the collider lets go or lifts out. Both lose their velocity. */
CLOTH_SEPARATE void respond_to_answers(const contact_block *b, const link_answers *answers, const lanes3 *displacement,
                                       contact_response *r) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const lanes_mask asks = lanes_less(lanes_splat(0.0f), answers->kind);
  const lanes_mask lifts = lanes_less(lanes_splat((float)LINKS_LET_GO), answers->kind);
  const lanes3 way = lanes3_subtract(answers->place, lanes3_subtract(b->to, b->push));
  r->correction = lanes3_select(asks, lanes3_keep(lifts, way), r->correction);
  r->change = lanes3_select(asks, lanes3_subtract(none, *displacement), r->change);
  r->sliding = lanes3_select(asks, none, r->sliding);
}

/*
 * Coulomb's law for displacements relative to the surface in one substep. Particles are moved out by their penetration
 * p. Of the displacement the part normal to the surface is corrected by n = min(p, displacement into the surface): only
 * that changes the velocity, so that moving out of an older penetration adds no speed. Friction takes the tangential
 * displacement away if it is at most mu_static n, else mu_kinetic n of it, unless the links say otherwise. Particles
 * that do not touch have `displacement` and `penetration` 0. `borne`, if not NULL: what n is larger by where only
 * friction asks.
 */
CLOTH_INLINE contact_response response_with(const cloth *c, const moving_body *m, lanes3 displacement, lanes3 normal,
                                            lanes penetration, const link_answers *answers, const lanes *borne) {
  contact_response r;
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes normal_displacement = lanes3_dot(displacement, normal);
  const float sticking = static_friction_of(c, m), sliding = kinetic_friction_of(c, m);
  lanes static_friction = lanes_splat(sticking), kinetic_friction = lanes_splat(sliding);
  if (answers->asked) {
    static_friction = bent_friction(sticking, answers->share);
    kinetic_friction = bent_friction(sliding, answers->share);
  }
  lanes normal_correction = lanes_minimum(penetration, lanes_maximum(lanes_negate(normal_displacement), zero));
  const lanes pressed =
      borne ? lanes_maximum(lanes_add(normal_correction, *borne), lanes_splat(0.0f)) : normal_correction;
  lanes3 slip = lanes3_subtract(displacement, lanes3_scale(normal, normal_displacement));
  slip = lanes3_flush_below(slip, STATE_QUANTUM);
  lanes distance = lanes_square_root(lanes3_dot(slip, slip));
  r.slides = lanes_less(lanes_multiply(static_friction, pressed), distance);
  lanes max_friction = lanes_multiply(kinetic_friction, pressed);
  lanes friction_scale = lanes_divide(max_friction, lanes_maximum(distance, lanes_splat(STATE_QUANTUM)));
  friction_scale = lanes_minimum(friction_scale, one);
  lanes3 friction = lanes3_scale(slip, lanes_negate(lanes_select(r.slides, friction_scale, one)));
  r.correction = lanes3_add_scaled(friction, normal, penetration);
  r.change = lanes3_add_scaled(friction, normal, normal_correction);
  r.sliding = lanes3_add(slip, friction);
  r.touches = zero;
  return r;
}

CLOTH_INLINE contact_response response_to(const cloth *c, const moving_body *m, lanes3 displacement, lanes3 normal,
                                          lanes penetration, const link_answers *answers) {
  return response_with(c, m, displacement, normal, penetration, answers, NULL);
}

/* response_to() for a block of particles, with what their links say. */
CLOTH_INLINE contact_response response_of(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                          const contact_block *b, lanes3 displacement) {
  const lanes penetration = lanes_keep(lanes_less(lanes_splat(0.0f), b->touches), b->penetration);
  const lanes into = lanes_maximum(lanes_negate(lanes3_dot(displacement, b->normal)), lanes_splat(0.0f));
  link_answers answers;
  ask_links(c, plan, m, i, b, lanes_minimum(penetration, into), &answers);
  contact_response r = response_to(c, m, displacement, b->normal, penetration, &answers);
  if (answers.asked) { /* by copies, as what has its address taken is kept in memory */
    const lanes3 undone = displacement;
    contact_response answered = r;
    b->tally->frees |= lanes_any(lanes_less(lanes_splat(0.0f), answers.kind));
    respond_to_answers(b, &answers, &undone, &answered);
    r = answered;
  }
  r.touches = b->touches;
  return r;
}

#if WITH_BODIES

/* Components of a response and of what it answers, as arrays of lanes. */
enum {
  SHARED_DISPLACEMENT,
  SHARED_NORMAL = 3,
  SHARED_POSITION = 6,
  SHARED_CORRECTION = 9,
  SHARED_CHANGE = 12,
  SHARED_SLIDING = 15,
  SHARED_PENETRATION = 18,
  SHARED_TOUCHES,
  SHARED_SLIDES,
  SHARED_ARRAYS
};

typedef struct shared_contacts {
  float values[SHARED_ARRAYS][CLOTH_LANES];
  int32_t first;             /* particle of the first lane */
  float body_inverse_mass;   /* [1/kg] */
  cloth_vector body_inertia; /* see inertia_of() [kg m^2] */
} shared_contacts;

static vector_array shared_vectors(shared_contacts *s, int32_t first) {
  vector_array v = {s->values[first], s->values[first + 1], s->values[first + 2]};
  return v;
}

#if WITH_BEARING

/* Is a particle near enough to a body to bear it in this substep? */
static int is_near_body(const cloth *c, const moving_body *m, int32_t i) {
  return is_bearing(c, BEARS_COUNTS) && absolute(bearing_plane(c, BEARING_CODE)[i]) == (float)(m->body + 1);
}

/* Does it bear a part of the body, by what friction counts? */
static int bears_body(const cloth *c, const moving_body *m, int32_t i) {
  return is_near_body(c, m, i) && bearing_plane(c, BEARING_ALONG)[i] > 0.0f;
}

/* Adds what contact keeps a particle from going into a body by [m]. */
static void note_pressed(const cloth *c, const moving_body *m, int32_t i, float pressed) {
  if (is_near_body(c, m, i)) {
    bearing_plane(c, BEARING_PRESSED)[i] += maximum(flush_small(pressed, WORK_QUANTUM), 0.0f);
  }
}

/* What the solves along lines have kept a particle from going into a body by, of which friction counts the rest [m]. */
static float borne_by(const cloth *c, const moving_body *m, int32_t i) {
  return bears_body(c, m, i) ? bearing_plane(c, BEARING_BORNE)[i] : 0.0f;
}

/* Friction counts it once. */
static void forget_borne(const cloth *c, const moving_body *m, int32_t i) {
  if (bears_body(c, m, i)) {
    bearing_plane(c, BEARING_BORNE)[i] = 0.0f;
  }
}

#else

static float borne_by(const cloth *c, const moving_body *m, int32_t i) {
  (void)c;
  (void)m;
  (void)i;
  return 0.0f;
}

#define forget_borne(c, m, i) ((void)0)
#define bears_body(c, m, i) 0
#define note_pressed(c, m, i, pressed) ((void)0)

#endif

/* Contact of one particle, lane `n`, with a body that may be lighter than what lies on it: of the displacement that the
   contact asks for, relative to the surface, particle and body take shares by their masses. The next particle meets the
   body where this one has left it (Gauss-Seidel), in an order that does not depend on the lanes. */
static void share_contact(const cloth *c, moving_body *m, float inverse_mass, int32_t n, shared_contacts *s) {
  const cloth_vector arm = vector_load(shared_vectors(s, SHARED_POSITION), n);
  const cloth_vector normal = vector_load(shared_vectors(s, SHARED_NORMAL), n);
  const cloth_vector shift = vector_flush(vector_add(m->drift, vector_cross(m->rotated, arm)), STATE_QUANTUM);
  const cloth_vector displacement = vector_subtract(vector_load(shared_vectors(s, SHARED_DISPLACEMENT), n), shift);
  const float penetration = s->values[SHARED_PENETRATION][n] + flush_small(vector_dot(shift, normal), WORK_QUANTUM);
  const float borne = borne_by(c, m, s->first + n);
  const int touches = s->values[SHARED_TOUCHES][n] > 0.0f && (penetration > 0.0f || bears_body(c, m, s->first + n));
  s->values[SHARED_TOUCHES][n] = touches ? 1.0f : 0.0f;
  const link_answers none = no_links();
  const lanes pressed = lanes_splat(borne);
  const contact_response r =
      response_with(c, m, lanes3_splat(touches ? displacement : vector(0.0f, 0.0f, 0.0f)), lanes3_splat(normal),
                    lanes_splat(touches ? maximum(penetration, 0.0f) : 0.0f), &none, &pressed);
  if (touches) {
    forget_borne(c, m, s->first + n);
  }
  const cloth_vector change = vector_flush(lanes3_first(r.change), STATE_QUANTUM);
  const float length = vector_length(change);
  const cloth_vector along = vector_flush_work(vector_scale(change, 1.0f / maximum(length, STATE_QUANTUM)));
  const float of_body = local_inverse_mass(s->body_inertia, s->body_inverse_mass, arm, along);
  const float share = inverse_mass / (inverse_mass + of_body);
  const cloth_vector taken = vector_scale(change, 1.0f - share); /* by the body, along the change */
  note_pressed(c, m, s->first + n, share * vector_dot(change, normal));
  vector_store(shared_vectors(s, SHARED_CHANGE), n, vector_scale(change, share));
  vector_store(shared_vectors(s, SHARED_CORRECTION), n, vector_subtract(lanes3_first(r.correction), taken));
  vector_store(shared_vectors(s, SHARED_SLIDING), n, lanes3_first(r.sliding));
  s->values[SHARED_SLIDES][n] = lanes_first_value(lanes_keep(r.slides, lanes_splat(1.0f)));
  const cloth_vector impulse = vector_flush_work(vector_scale(taken, 1.0f / maximum(of_body, WORK_QUANTUM)));
  m->drift = vector_flush_work(vector_add_scaled(m->drift, impulse, negate(s->body_inverse_mass)));
  m->rotated = vector_flush_work(vector_subtract(m->rotated, local_turn(s->body_inertia, vector_cross(arm, impulse))));
}

/* Shares the contacts of a block with a body. */
CLOTH_SEPARATE void share_contacts(const cloth *c, const step_plan *plan, int32_t i, const contact_block *b,
                                   lanes3 displacement, contact_response *r) {
  moving_body *m = &workspace_of(c)->body;
  const rigid_body *body = &bodies_of(c)[m->body];
  shared_contacts s;
  s.first = i;
  s.body_inverse_mass = inverse_mass_of(c, body);
  s.body_inertia = inertia_of(c, body);
  lanes3_store(shared_vectors(&s, SHARED_DISPLACEMENT), 0, displacement, CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_NORMAL), 0, b->normal, CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_POSITION), 0, lanes3_subtract(b->to, b->push), CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_CORRECTION), 0, r->correction, CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_CHANGE), 0, r->change, CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_SLIDING), 0, r->sliding, CLOTH_LANES);
  lanes_store(s.values[SHARED_PENETRATION], b->penetration);
  lanes_store(s.values[SHARED_TOUCHES], b->touches);
  lanes_store(s.values[SHARED_SLIDES], lanes_splat(0.0f));
  for (int32_t n = 0; n < CLOTH_LANES && i + n < c->count; n++) {
    if (s.values[SHARED_TOUCHES][n] > 0.0f) {
      const float mass = mass_of_particle(c, i + n);
      share_contact(c, m, force_share(plan) / mass, n, &s);
    }
  }
  r->correction = lanes3_load(shared_vectors(&s, SHARED_CORRECTION), 0);
  r->change = lanes3_load(shared_vectors(&s, SHARED_CHANGE), 0);
  r->sliding = lanes3_load(shared_vectors(&s, SHARED_SLIDING), 0);
  r->touches = lanes_load(s.values[SHARED_TOUCHES]);
  r->slides = lanes_less(lanes_splat(0.0f), lanes_load(s.values[SHARED_SLIDES]));
}

#endif
