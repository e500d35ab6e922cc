#pragma once
#include "constraints.h"

/// Contact in the solver ///

/*
 * Contact as constraints of the linear solve (CLOTH_CONTACT_SOLVER; Baraff and Witkin 1998, thesis section 3.4.2), by
 * constraints.h: find_solver_contacts() says which particles are held, in which directions and with
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
  return w->held > 0 ? HELD_KIND(held_words(w)[i]) : (uint32_t)HELD_NONE;
}

/* 1 if nothing can move the particle in the solve. */
static int is_fixed(const method_work *w, int32_t i) {
  return w->mobility[i] == 0.0f || hold_of(w, i) == HELD_STICKS;
}

/* The part of a vector in the directions in which particle i is held. */
static cloth_vector part_held(const method_work *w, int32_t i, cloth_vector a) {
  if (hold_of(w, i) == HELD_STICKS) { return a; }
  const cloth_vector n = vector_load(field(w, FIELD_NORMAL), i);
  return vector_scale(n, hold_of(w, i) == HELD_SLIDES ? vector_dot(a, n) : 0.0f);
}

/* Finds the held particles of a substep, and from where tau v' has to lead so that k v' moves them. Other particles
   have the normal 0. */
static void hold_particles(method_work *w, int32_t index) {
  const cloth *c = w->c;
  const vector_array base = field(w, FIELD_BASE);
  w->held = has_solver_contacts(w) ? find_solver_contacts(w, index) : 0;
  for (int32_t i = 0; w->held > 0 && i < c->count; i++) {
    const cloth_vector x = vector_load(w->x, i), a = vector_load(base, i);
    const cloth_vector z = vector_load(field(w, FIELD_PRESCRIBED), i);
    const cloth_vector rate = vector_add(vector_load(w->v, i), z);
    const cloth_vector from = vector_add_scaled(x, rate, w->k - w->tau);
    const cloth_vector change = part_held(w, i, vector_subtract(from, a));
    vector_store(base, i, vector_flush(vector_add(a, change), STATE_QUANTUM));
  }
}

/* Adds z, the velocity changes that are prescribed, to the solution that a solve starts with. */
static void prescribe_solution(const method_work *w) {
  const vector_array z = field(w, FIELD_PRESCRIBED);
  for (int32_t i = 0; w->held > 0 && i < w->c->count; i++) {
    const cloth_vector sum = vector_add(vector_load(field(w, FIELD_SOLUTION), i), vector_load(z, i));
    vector_store(field(w, FIELD_SOLUTION), i, rounded_to_work(sum));
  }
}

/* A block of residuals without the normal parts of held particles. Those are the forces of contact, which do not fall:
   what rounding lets through the blocks would keep the solve from its end. */
static lanes3 without_held_parts(const method_work *w, int32_t i, lanes3 r) {
  if (w->held == 0) { return r; }
  const lanes3 n = lanes3_load(field(w, FIELD_NORMAL), i);
  return lanes3_add_scaled(r, n, lanes_negate(lanes_flush(lanes3_dot(r, n))));
}

/// The preconditioner ///

/* A function of a block whose entries lie `stride` floats apart, and of a normal. */
typedef void plane_action(float *block, int32_t stride, cloth_vector n);

/* Runs it on the blocks of all sliding particles. */
static void act_on_sliding(const method_work *w, plane_action *act) {
  for (int32_t i = 0; w->held > 0 && i < w->c->count; i++) {
    if (hold_of(w, i) == HELD_SLIDES) {
      act(w->floats + w->inverse + i, w->c->stride, vector_load(field(w, FIELD_NORMAL), i));
    }
  }
}

/* Sets the preconditioner: the inverse of each particle's block of the matrix, without the directions in which it is
   held (thesis eq. 5.4), and 0 for pinned particles. */
static void build_blocks(method_work *w) {
  sum_blocks(w);
  act_on_sliding(w, constrain_block_to_plane);
  invert_sums(w);
  act_on_sliding(w, project_block_to_plane);
  for (int32_t i = 0; w->held > 0 && i < w->c->count; i++) {
    for (int32_t n = 0; hold_of(w, i) == HELD_STICKS && n < SYMMETRIC_FLOATS; n++) {
      w->floats[w->inverse + (uint32_t)(i + n * w->c->stride)] = 0.0f;
    }
  }
}

/// After the solve ///

/* In the schemes of second order forces act over tau = 2k/3 on velocities of which 3/2 count, see projected.h. */
#define SECOND_ORDER_SHARE 1.5f

/* Velocity changes that contacts make of held particles over tau, without friction, which is that of v' after. */
static void keep_held_changes(const method_work *w, int32_t index) {
  for (int32_t i = 0; i < w->c->count; i++) {
    cloth_vector change = vector(0.0f, 0.0f, 0.0f);
    if (hold_of(w, i) == HELD_STICKS || hold_of(w, i) == HELD_SLIDES) {
      const method_body b = method_body_of(w, HELD_COLLIDER(held_words(w)[i]), index);
      change = vector_scale(constraint_force(w, i, push_of(w, &b, i)), w->mobility[i]);
    }
    vector_store(field(w, FIELD_PRODUCT), i, vector_flush_work(change));
  }
}

/* Friction and release: the residual of the solve becomes the force, and v' what it leaves. Leaves the velocity changes
   by contact in FIELD_PRODUCT. */
static void resolve_held(const method_work *w, int32_t index) {
  if (w->held == 0) { return; }
  keep_held_changes(w, index);
  add_scaled(w, FIELD_PRODUCT, FIELD_RATE, -1.0f, FIELD_PRODUCT);
  resolve_contacts(w, index);
  add_scaled(w, FIELD_PRODUCT, FIELD_RATE, 1.0f, FIELD_PRODUCT);
}

/* Adds to the reaction of the collider that holds a particle the opposite of an impulse that makes such a velocity
   change [m/s]. */
static void react_to_held(const method_work *w, int32_t index, int32_t i, cloth_vector change) {
  const uint32_t word = held_words(w)[i];
  const method_body b = method_body_of(w, HELD_COLLIDER(word), index);
  const method_touch t = {i, HELD_KIND(word) != HELD_RELEASED, vector_load(w->x, i),
                          vector_load(field(w, FIELD_NORMAL), i),
                          vector_scale(change, reference_mass(w->c) * mass_ratio_at(w->c, i))};
  report_touch(w, &b, &t);
}

/* Takes back the pushes. The histories of the particles that are still held forget what was across the surface, and
   with it a part of the momentum (3 v' - v) / 2, which is none of the collider's: the rest of it the collider receives
   beside what resolve_contacts() has given it. */
static void let_go_of_pushes(const method_work *w, int32_t index) {
  const float rest = w->tau == w->k ? 0.0f : SECOND_ORDER_SHARE - 1.0f;
  if (w->held == 0) { return; }
  remove_push_velocities(w, index);
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector v = vector_load(field(w, FIELD_RATE), i), old = vector_load(field(w, FIELD_OLD_RATE), i);
    const cloth_vector forgotten = part_held(w, i, vector_subtract(v, old));
    const cloth_vector change = vector_subtract(vector_load(field(w, FIELD_PRODUCT), i), forgotten);
    vector_store(field(w, FIELD_OLD_RATE), i, vector_add(old, forgotten));
    if (rest > 0.0f && vector_length(vector_flush(change, STATE_QUANTUM)) > 0.0f) {
      react_to_held(w, index, i, vector_flush_work(vector_scale(change, rest)));
    }
  }
}
