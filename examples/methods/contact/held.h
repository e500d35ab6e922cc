#pragma once
#include "../equation.h"

/// Contact in the solver ///

/*
 * Contact as constraints of the linear solve (CLOTH_CONTACT_SOLVER; Baraff and Witkin 1998, thesis section 3.4.2), by
 * the library's solver_contact.h: find_solver_contacts() says which particles are held, in which directions and with
 * which velocity change z, resolve_contacts() turns the residual that the solve leaves into release, slip and friction,
 * remove_push_velocities() takes back the velocities out of penetrations. Here is what the schemes and solvers add:
 *
 *     start      the first solution holds z, and directions of gradients leave it, as the blocks S P S of held
 *                particles have nothing in the directions that are prescribed
 *     position   v' = v + z there moves the particle by k v', whatever tau is: as for pinned particles, a is moved
 *     history    the residual is part of the equation, and so is friction, so that a multistep scheme goes on along the
 *                surface; across it the old velocity becomes the new one, which forgets the impact
 *     reactions  resolve_contacts() takes v' for the momentum; in a multistep scheme the collider receives the rest
 */

static uint32_t hold_of(const method_work *w, int32_t i) {
  return w->held > 0 ? CONTACT_KIND(contact_info_of(w->c)[i]) : (uint32_t)CONTACT_NONE;
}

/* 1 if nothing can move the particle in the solve. */
static int is_fixed(const method_work *w, int32_t i) {
  return w->mobility[i] == 0.0f || hold_of(w, i) == CONTACT_STICK;
}

/* The part of a vector in the directions in which particle i is held. */
static cloth_vector part_held(const method_work *w, int32_t i, cloth_vector a) {
  if (hold_of(w, i) == CONTACT_STICK) {
    return a;
  }
  const cloth_vector n = vector_load(vectors_at(w->c, w->c->scratch.contact_normal), i);
  return vector_scale(n, hold_of(w, i) == CONTACT_SLIDE ? vector_dot(a, n) : 0.0f);
}

/* Finds the held particles of a substep, and from where tau v' has to lead so that k v' moves them. Other particles
   have the normal 0. */
static void hold_particles(method_work *w, int32_t index) {
  const cloth *c = w->c;
  const vector_array base = field(w, FIELD_BASE);
  w->held = has_solver_contacts(c) ? find_solver_contacts(c, &workspace_of(c)->plan, index) : 0;
  for (int32_t i = 0; w->held > 0 && i < c->count; i++) {
    if (hold_of(w, i) != CONTACT_STICK && hold_of(w, i) != CONTACT_SLIDE) {
      vector_store(vectors_at(c, c->scratch.contact_normal), i, vector(0.0f, 0.0f, 0.0f));
    }
    const cloth_vector x = vector_load(w->x, i), a = vector_load(base, i);
    const cloth_vector z = vector_load(vectors_at(c, c->scratch.direction), i);
    const cloth_vector rate = vector_add(vector_load(w->v, i), z);
    const cloth_vector from = vector_add_scaled(x, rate, w->k - w->tau);
    const cloth_vector change = part_held(w, i, vector_subtract(from, a));
    vector_store(base, i, vector_flush(vector_add(a, change), STATE_QUANTUM));
  }
}

/* Adds z, the velocity changes that are prescribed, to the solution that a solve starts with. */
static void prescribe_solution(const method_work *w) {
  const vector_array z = vectors_at(w->c, w->c->scratch.direction);
  for (int32_t i = 0; w->held > 0 && i < w->c->count; i++) {
    const cloth_vector sum = vector_add(vector_load(field(w, FIELD_SOLUTION), i), vector_load(z, i));
    vector_store(field(w, FIELD_SOLUTION), i, vector_quantise_work(sum));
  }
}

/* A block of residuals without the normal parts of held particles. Those are the forces of contact, which do not fall:
   what rounding lets through the blocks would keep the solve from its end. */
static lanes3 without_held_parts(const method_work *w, int32_t i, lanes3 r) {
  if (w->held == 0) {
    return r;
  }
  const lanes3 n = lanes3_load(vectors_at(w->c, w->c->scratch.contact_normal), i);
  return lanes3_add_scaled(r, n, lanes_negate(lanes_flush(lanes3_dot(r, n))));
}

/// The preconditioner ///

/* Runs one of the library's functions of constrained blocks on the block of particle i. */
static void act_on_block(const method_work *w, int32_t i, constrained_action act) {
  float *block = w->floats + w->inverse + i;
  for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
    *block_entry(w->c, i, n) = block[n * w->c->stride];
  }
  act(w->c, i, vector_load(vectors_at(w->c, w->c->scratch.contact_normal), i), 0);
  for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
    block[n * w->c->stride] = *block_entry(w->c, i, n);
  }
}

/* Runs it on the blocks of all sliding particles. */
static void act_on_sliding(const method_work *w, constrained_action act) {
  for (int32_t i = 0; w->held > 0 && i < w->c->count; i++) {
    if (hold_of(w, i) == CONTACT_SLIDE) {
      act_on_block(w, i, act);
    }
  }
}

/* Sets the preconditioner: the inverse of each particle's block of the matrix, without the directions in which it is
   held (thesis eq. 5.4), and 0 for pinned particles. */
static void build_blocks(method_work *w) {
  sum_blocks(w);
  act_on_sliding(w, constrain_block);
  invert_sums(w);
  act_on_sliding(w, project_block);
  for (int32_t i = 0; w->held > 0 && i < w->c->count; i++) {
    for (int32_t n = 0; hold_of(w, i) == CONTACT_STICK && n < SYMMETRIC_FLOATS; n++) {
      w->floats[w->inverse + (uint32_t)(i + n * w->c->stride)] = 0.0f;
    }
  }
}

/// After the solve ///

/* In the schemes of second order forces act over tau = 2k/3 on velocities of which 3/2 count, see projected.h. */
#define SECOND_ORDER_SHARE 1.5f

/* Velocity changes that contacts make of held particles over tau, without friction, which is that of v' after. */
static void keep_held_changes(const method_work *w, int32_t index) {
  const cloth *c = w->c;
  const step_plan *plan = &workspace_of(c)->plan;
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector change = vector(0.0f, 0.0f, 0.0f);
    if (hold_of(w, i) == CONTACT_STICK || hold_of(w, i) == CONTACT_SLIDE) {
      const moving_body *m = body_in_substep(c, plan, CONTACT_COLLIDER(contact_info_of(c)[i]), index);
      const float push = push_speed(plan, depth_in_body(c, m, vector_load(w->x, i)));
      change = vector_scale(constraint_force(c, i, push), w->mobility[i]);
    }
    vector_store(field(w, FIELD_PRODUCT), i, vector_flush_work(change));
  }
}

/* Friction and release: the residual of the solve becomes the force, and v' what it leaves. Leaves the velocity changes
   by contact in FIELD_PRODUCT. */
static void resolve_held(const method_work *w, int32_t index) {
  const cloth *c = w->c;
  if (w->held == 0) {
    return;
  }
  copy_field(w, field(w, FIELD_LEFT_OVER), vectors_at(c, c->scratch.residual));
  copy_field(w, field(w, FIELD_RATE), w->v);
  keep_held_changes(w, index);
  const left_over none = no_left_over(); /* a method's solve ends at its tolerance */
  resolve_contacts(c, &workspace_of(c)->plan, index, &none, statistics_of(c));
  add_scaled(w, FIELD_PRODUCT, FIELD_RATE, -1.0f, FIELD_PRODUCT);
  copy_field(w, w->v, field(w, FIELD_RATE));
  add_scaled(w, FIELD_PRODUCT, FIELD_RATE, 1.0f, FIELD_PRODUCT);
}

/* Adds to the reaction of the collider that holds a particle the opposite of an impulse that makes such a velocity
   change [m/s]. */
static void react_to_held(const method_work *w, int32_t index, int32_t i, cloth_vector change) {
  const cloth *c = w->c;
  const uint32_t info = contact_info_of(c)[i];
  const moving_body *m = body_in_substep(c, &workspace_of(c)->plan, CONTACT_COLLIDER(info), index);
  const cloth_vector p = vector_load(w->x, i);
  const cloth_vector impulse = vector_scale(change, reference_mass(c) * mass_ratio_at(c, i));
  add_reaction(c, m, p, impulse);
#if WITH_CONTACT_RECORD
  if (has_contact_record(c)) {
    record_contact(c, CONTACT_KIND(info) != CONTACT_RELEASED ? m->substep : -1, i, m->index, p,
                   vector_load(vectors_at(c, c->scratch.contact_normal), i), impulse);
  }
#endif
}

/* Takes back the pushes. The histories of the particles that are still held forget what was across the surface, and
   with it a part of the momentum (3 v' - v) / 2, which is none of the collider's: the rest of it the collider receives
   beside what resolve_contacts() has given it. */
static void let_go_of_pushes(const method_work *w, int32_t index) {
  const float rest = w->tau == w->k ? 0.0f : SECOND_ORDER_SHARE - 1.0f;
  if (w->held == 0) {
    return;
  }
  copy_field(w, field(w, FIELD_RATE), w->v);
  remove_push_velocities(w->c, &workspace_of(w->c)->plan, index);
  copy_field(w, w->v, field(w, FIELD_RATE));
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector v = vector_load(w->v, i), old = vector_load(field(w, FIELD_OLD_RATE), i);
    const cloth_vector forgotten = part_held(w, i, vector_subtract(v, old));
    const cloth_vector change = vector_subtract(vector_load(field(w, FIELD_PRODUCT), i), forgotten);
    vector_store(field(w, FIELD_OLD_RATE), i, vector_add(old, forgotten));
    if (rest > 0.0f && vector_length(vector_flush(change, STATE_QUANTUM)) > 0.0f) {
      react_to_held(w, index, i, vector_flush_work(vector_scale(change, rest)));
    }
  }
}
