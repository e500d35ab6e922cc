#pragma once
#include "../bodies/attached.h"
#include "../bodies/bodies.h"
#include "../contact/cell_memory.h"
#include "../contact/memory.h"
#include "../self/memory.h"
#include "../self/tree.h"
#include "../terms/air.h"
#include "../terms/confinement.h"

/// Inputs ///

/* Calls that change forces, fabric and particles in the state, flushed. A value that differs wakes the cloth. */

/* Stores the vector at an offset of the inputs, if each component is within +-limit. */
CLOTH_SEPARATE int set_vector(const cloth *c, size_t offset, cloth_vector value, float limit) {
  RETURN_IF_ERROR(check_cloth(c));
  if (!vector_in_range(value, limit)) { return CLOTH_ERROR_RANGE; }
  cloth_vector clean = vector_flush_state(value);
  set_input(c, (char *)inputs_of(c) + offset, &clean, sizeof clean);
  return CLOTH_OK;
}

int cloth_set_gravity(cloth *c, cloth_vector gravity) {
  return set_vector(c, offsetof(cloth_inputs, gravity), gravity, GRAVITY_LIMIT);
}

int cloth_set_wind(cloth *c, cloth_vector wind) {
  return set_vector(c, offsetof(cloth_inputs, wind), wind, WIND_LIMIT);
}

#if WITH_AIR

static int check_gusts(const cloth_gusts *gusts) {
  int are_possible = are_gusts(gusts->strength, gusts->period) && in_range(gusts->start, 0.0f, 1.0e6f);
  return are_possible ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

int cloth_set_gusts(cloth *c, const cloth_gusts *gusts) {
  RETURN_IF_ERROR(check_cloth(c));
  RETURN_IF_ERROR(gusts ? check_gusts(gusts) : CLOTH_OK);
  const cloth_gusts none = {{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f, 0};
  const cloth_gusts *given = gusts ? gusts : &none;
  cloth_inputs *inputs = inputs_of(c);
  cloth_inputs changed = *inputs;
  changed.gust_strength = vector_flush_state(given->strength);
  if (changed.gust_period != given->period || changed.gust_seed != given->seed) {
    changed.gust_period = given->period;
    changed.gust_seed = given->seed;
    changed.gust_phase[0] = changed.gust_phase[1] = 0;
    advance_gusts(&changed, given->start);
  }
  if (!are_equal(inputs, &changed, sizeof changed)) {
    *inputs = changed;
    wake(c);
  }
  return CLOTH_OK;
}

#endif

int cloth_get_wind(const cloth *c, cloth_vector *wind) {
  RETURN_IF_ERROR(check_call(c, wind));
  *wind = wind_of(c);
  return CLOTH_OK;
}

int cloth_set_fabric(cloth *c, const cloth_fabric *fabric) {
  RETURN_IF_ERROR(check_call(c, fabric));
  RETURN_IF_ERROR(check_fabric(fabric));
  set_fabric(c, fabric);
  return CLOTH_OK;
}

int cloth_particle_at(const cloth *c, int32_t column, int32_t row) {
  RETURN_IF_ERROR(check_cloth(c));
  if (column < 0 || column >= c->grid.columns || row < 0 || row >= c->grid.rows) { return CLOTH_ERROR_INDEX; }
  return row * c->grid.columns + column;
}

/* Sets the velocity of a particle [m/s], and its freedom with the PIN_... flags that tell what the velocity is. */
static void set_motion(const cloth *c, int32_t particle, cloth_vector velocity, uint32_t freedom) {
  set_particle_vector(c, vectors_at(c, c->state.velocity), particle, vector_flush_state(velocity));
  freedom_of(c)[particle] = (uint8_t)freedom;
}

int cloth_pin(cloth *c, int32_t particle) {
  RETURN_IF_ERROR(check_present(c, particle));
  remove_confinement(c, particle);
  set_freedom(c, particle, FREEDOM_PINNED);
  set_motion(c, particle, vector(0.0f, 0.0f, 0.0f), FREEDOM_PINNED);
  return CLOTH_OK;
}

/* CLOTH_OK for a pin that the caller may move: one that is not attached to a collider. */
static int check_free_pin(const cloth *c, int32_t particle) {
  RETURN_IF_ERROR(check_pin(c, particle));
  RETURN_IF_ERROR(check_present(c, particle));
  return WITH_BODIES && find_attachment(c, particle) ? CLOTH_ERROR_STATE : CLOTH_OK;
}

int cloth_set_pin_velocity(cloth *c, int32_t particle, cloth_vector velocity) {
  RETURN_IF_ERROR(check_free_pin(c, particle));
  if (!vector_in_range(velocity, CLOTH_SPEED_LIMIT)) { return CLOTH_ERROR_RANGE; }
  set_motion(c, particle, velocity, FREEDOM_PINNED);
  return CLOTH_OK;
}

int cloth_move_pin(cloth *c, int32_t particle, cloth_vector target) {
  RETURN_IF_ERROR(check_free_pin(c, particle));
  cloth_vector from = vector_load(vectors_at(c, c->state.position), particle);
  cloth_vector displacement = vector_flush_work(vector_subtract(vector_flush_state(target), from));
  /* In the longest step, 1 s, the velocity of a displacement is the same number. */
  if (!vector_in_range(target, CLOTH_POSITION_LIMIT) || !vector_in_range(displacement, CLOTH_SPEED_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  cloth_vector moved = vector_flush_state(displacement);
  if (!vector_is_zero(moved)) {
    wake(c);
  } else if (WITH_SLEEP && is_asleep(c)) {
    return CLOTH_OK; /* less than 1 nm does not wake a cloth */
  }
  vector_store(vectors_at(c, c->state.velocity), particle, displacement);
  freedom_of(c)[particle] = FREEDOM_PINNED | PIN_MOVING;
  return CLOTH_OK;
}

#if WITH_CONFINED

/* Length below which a vector has no direction [m], and largest component, whose square is a finite float. */
#define MIN_DIRECTION 1.0e-6f
#define MAX_DIRECTION 1.0e10f

static int confine(cloth *c, int32_t particle, cloth_vector direction, uint32_t freedom) {
  RETURN_IF_ERROR(check_present(c, particle));
  float length = vector_in_range(direction, MAX_DIRECTION) ? vector_length(direction) : 0.0f;
  if (!(length > MIN_DIRECTION)) { return CLOTH_ERROR_RANGE; }
  uint32_t before = freedom_of(c)[particle] & FREEDOM_MASK;
  if (!is_confined(before) && inputs_of(c)->confined_count == c->settings.capacity.max_confined) {
    return CLOTH_ERROR_FULL;
  }
  cloth_vector clean = vector_scale_work(vector_flush(direction, INPUT_QUANTUM), 1.0f / length);
  confinement *held = find_confinement(c, particle);
  /* The same direction wakes nothing: the anchor moves to the particle, which is on the line or plane already. */
  if (WITH_SLEEP && (before != freedom || !are_equal(&held->direction, &clean, sizeof clean))) { wake(c); }
  remove_confinement(c, particle);
  for (confinement *last = confined_of(c) + inputs_of(c)->confined_count++; last > held; last--) {
    *last = last[-1];
  }
  held->particle = particle;
  held->freedom = freedom;
  held->direction = clean;
  held->anchor = vector_flush_state(vector_load(vectors_at(c, c->state.position), particle)); /* as saves have it */
  set_freedom(c, particle, freedom);
  return CLOTH_OK;
}

int cloth_confine_to_line(cloth *c, int32_t particle, cloth_vector direction) {
  return confine(c, particle, direction, FREEDOM_LINE);
}

int cloth_confine_to_plane(cloth *c, int32_t particle, cloth_vector normal) {
  return confine(c, particle, normal, FREEDOM_PLANE);
}

#endif

int cloth_release(cloth *c, int32_t particle) {
  RETURN_IF_ERROR(check_present(c, particle));
  remove_confinement(c, particle);
  set_freedom(c, particle, FREEDOM_FREE);
  return CLOTH_OK;
}

int cloth_get_freedom(const cloth *c, int32_t particle) {
  RETURN_IF_ERROR(check_particle(c, particle));
  return (int)(freedom_of(c)[particle] & FREEDOM_MASK);
}

int cloth_set_particle(cloth *c, int32_t particle, cloth_vector position, cloth_vector velocity) {
  RETURN_IF_ERROR(check_present(c, particle));
  if (!vector_in_range(position, CLOTH_POSITION_LIMIT) || !vector_in_range(velocity, CLOTH_SPEED_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  position = vector_flush_state(position);
  set_particle_vector(c, vectors_at(c, c->state.position), particle, position);
  set_motion(c, particle, velocity, freedom_of(c)[particle] & FREEDOM_MASK);
  invalidate_history(c, particle);
  if (WITH_COLLIDERS) {
    forget_touching(c, particle);
    forget_cells(c, -1, particle);
  }
  if (WITH_SELF) { forget_pairs(c); }
  if (has_gaps(c)) { place_absent_particles(c, vectors_at(c, c->state.position)); }
  if (WITH_CONFINED && is_confined(freedom_of(c)[particle])) { find_confinement(c, particle)->anchor = position; }
  return CLOTH_OK;
}

int cloth_apply_impulse(cloth *c, int32_t particle, cloth_vector impulse) {
  RETURN_IF_ERROR(check_present(c, particle));
  float mass = mass_of_particle(c, particle);
  impulse = vector_flush(impulse, INPUT_QUANTUM);
  cloth_vector velocity = vector_add_scaled(current_velocity(c, particle), impulse, 1.0f / mass);
  if (!vector_is_finite(impulse) || !vector_in_range(velocity, CLOTH_SPEED_LIMIT)) { return CLOTH_ERROR_RANGE; }
  if (!is_pinned(c, particle)) {
    set_motion(c, particle, velocity, freedom_of(c)[particle]);
    invalidate_history(c, particle);
  }
  return CLOTH_OK;
}

/// Moving frames ///

/* Takes a cloth along with a frame: positions, velocities and their history, targets, confinements and chosen colliders
   of the state are transformed by what it does not feel of the motion. */

#if WITH_MOVE_FRAME || WITH_ORIGIN

/* The motion x -> place + R (x - pivot). */
typedef struct rigid_motion {
  cloth_vector pivot, place; /* [m] */
  cloth_rotation rotation;   /* R */
  int32_t turns;             /* 0 if R is the identity */
  /* Angular speed of R [rad/s] times the root of inertia.centrifugal, as the force is quadratic in it. */
  cloth_vector angular_speed;
} rigid_motion;

/* Angular speed of a rotation q in dt seconds [rad/s]. Its angle is 2 asin |u|, with u the vector part. The series of
   asin is taken for a quarter of the rotation, at most pi / 4, where it is exact to 1e-6. */
static cloth_vector angular_speed_of(cloth_rotation q, float dt) {
  q.w = maximum(q.w, 0.0f); /* rotation_between() takes the short way, so w < 0 is a rounding */
  cloth_rotation quarter = half_rotation(half_rotation(rotation_flush(q)));
  cloth_vector u = vector_flush_work(vector(quarter.x, quarter.y, quarter.z));
  float squared = vector_dot(u, u);
  float series = 1.0f + squared * (1.0f / 6.0f + squared * (3.0f / 40.0f + squared * (5.0f / 112.0f)));
  return vector_scale(u, 8.0f * series / dt);
}

/* The part of a frame's motion that the cloth follows without feeling it. */
static rigid_motion frame_motion(const cloth_pose *from, const cloth_pose *to, const cloth_inertia *inertia, float dt) {
  const cloth_rotation none = {0.0f, 0.0f, 0.0f, 1.0f};
  cloth_rotation turned = rotation_product(to->rotation, rotation_conjugate(from->rotation));
  rigid_motion m;
  m.pivot = from->position;
  m.place = vector_add_scaled(m.pivot, vector_subtract(to->position, m.pivot), 1.0f - inertia->linear);
  m.rotation = rotation_between(none, turned, 1.0f - inertia->angular);
  m.turns = m.rotation.x != 0.0f || m.rotation.y != 0.0f || m.rotation.z != 0.0f;
  m.angular_speed = vector_scale_work(angular_speed_of(m.rotation, dt), square_root(inertia->centrifugal));
  return m;
}

static cloth_vector transform_direction(const rigid_motion *m, cloth_vector a) {
  return m->turns ? vector_flush_state(rotate(m->rotation, a)) : a;
}

static cloth_vector transform_point(const rigid_motion *m, cloth_vector x) {
  return vector_flush_state(vector_add(m->place, transform_direction(m, vector_subtract(x, m->pivot))));
}

/* Velocity change [m/s] by the centrifugal force in a step of dt: -w x (w x r) dt, r from the pivot. */
static cloth_vector centrifugal_change(const rigid_motion *m, cloth_vector place, float dt) {
  cloth_vector arm = vector_flush_work(vector_subtract(place, m->place));
  cloth_vector across = vector_flush_work(vector_cross(arm, m->angular_speed));
  return vector_flush_state(vector_scale(vector_cross(m->angular_speed, across), dt));
}

/* Rotates a velocity. A component may grow, so each is kept within the limit that images check. */
static cloth_vector transform_velocity(const rigid_motion *m, cloth_vector v) {
  cloth_vector a = transform_direction(m, v);
  return vector(maximum(minimum(a.x, CLOTH_SPEED_LIMIT), -CLOTH_SPEED_LIMIT),
                maximum(minimum(a.y, CLOTH_SPEED_LIMIT), -CLOTH_SPEED_LIMIT),
                maximum(minimum(a.z, CLOTH_SPEED_LIMIT), -CLOTH_SPEED_LIMIT));
}

static void transform_velocities(const cloth *c, const rigid_motion *m, uint32_t velocities) {
  vector_array a = vectors_at(c, velocities);
  for (int32_t i = 0; velocities && m->turns && i < c->count; i++) {
    vector_store(a, i, transform_velocity(m, vector_load(a, i)));
  }
}

/* Rotates the velocities before the last. Those marked as invalid stay so. */
static void transform_history(const cloth *c, const rigid_motion *m) {
  for (int32_t before = 1; m->turns && before <= history_length(c); before++) {
    vector_array v = history_of(c, before);
    for (int32_t i = 0; i < c->count; i++) {
      cloth_vector velocity = vector_load(v, i);
      if (velocity.x < 0.5f * HISTORY_INVALID) { vector_store(v, i, transform_velocity(m, velocity)); }
    }
  }
}

/* Turns what contacts have given to particles; their anchors are in the axes of colliders. */
static void transform_contacts(const cloth *c, const rigid_motion *m) {
  for (int32_t slot = 0; c->state.touching && m->turns && slot < MEMORY_SLOTS; slot++) {
    const vector_array force = memory_vectors(c, slot, MEMORY_FORCE);
    for (int32_t i = 0; i < c->count; i++) {
      vector_store(force, i, vector_flush_work(transform_direction(m, vector_load(force, i))));
    }
  }
  for (uint32_t n = 0; c->state.cells && m->turns && n < *cells_remembered(c); n++) {
    cloth_vector *force = &cell_memories_of(c)[n].force;
    *force = vector_flush_work(transform_direction(m, *force));
  }
}

/* Turns what pairs of cloth and cloth remember. */
static void transform_pairs(const cloth *c, const rigid_motion *m) {
  if (!c->self || !m->turns) { return; }
  const pair_memories memories = memories_of(c);
  for (uint32_t n = 0; n < *memories.count; n++) {
    pair_memory *entry = &memories.entry[n];
    entry->force = vector_flush(transform_direction(m, vector_flush(entry->force, INPUT_QUANTUM)), INPUT_QUANTUM);
  }
}

static void transform_targets(const cloth *c, const rigid_motion *m) {
  int32_t vectors = inputs_of(c)->targets == TARGETS_NONE ? 0 : TARGET_MOTIONS;
  for (int32_t which = TARGET_POSITION; which < vectors; which++) {
    vector_array a = target_vectors(c, which);
    int is_place = which <= TARGET_POSITION_BEFORE;
    for (int32_t i = 0; (is_place || m->turns) && i < c->count; i++) {
      cloth_vector before = vector_load(a, i);
      vector_store(a, i, is_place ? transform_point(m, before) : unit_or_zero(transform_direction(m, before)));
    }
  }
}

/* Moves all particles. Free ones get the centrifugal velocity change of the next step. */
static void transform_particles(const cloth *c, const rigid_motion *m, float dt) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  transform_velocities(c, m, c->state.velocity);
  transform_history(c, m);
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector place = transform_point(m, vector_load(x, i));
    vector_store(x, i, place);
    if (m->turns && !is_pinned(c, i)) {
      cloth_vector velocity = vector_add(vector_load(v, i), centrifugal_change(m, place, dt));
      clamp_length(&velocity, c->settings.integration.max_speed);
      vector_store(v, i, vector_flush_state(velocity));
    }
  }
}

/* Moves and turns lines and planes; the point of one that turns, or would leave the range, is its particle's. */
static void transform_confinements(const cloth *c, const rigid_motion *m) {
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    confinement *held = &confined_of(c)[i];
    const cloth_vector anchor = transform_point(m, held->anchor);
    const int has_anchor = !m->turns && vector_in_range(anchor, CLOTH_POSITION_LIMIT);
    held->anchor = has_anchor ? anchor : vector_load(vectors_at(c, c->state.position), held->particle);
    if (m->turns) {
      held->direction = transform_direction(m, held->direction);
      held->direction = vector_scale(held->direction, 1.0f / vector_length(held->direction));
    }
  }
}

static cloth_pose transform_pose(const rigid_motion *m, const cloth_pose *pose) {
  cloth_pose moved;
  moved.position = transform_point(m, pose->position);
  moved.rotation = m->turns ? rotation_product(m->rotation, pose->rotation) : pose->rotation;
  return moved;
}

/* Rotates the velocities of a collider that has mass. */
static void transform_body(const cloth *c, const rigid_motion *m, int32_t collider) {
  rigid_body *b = find_body(c, collider);
  if (b && m->turns) {
    b->velocity = transform_velocity(m, b->velocity);
    b->spin = limited_vector(transform_direction(m, b->spin), MAX_SPIN);
  }
}

static void transform_colliders(const cloth *c, const rigid_motion *m, uint64_t colliders) {
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && (colliders >> index & 1u)) {
      slot->previous = transform_pose(m, &slot->previous);
      if (WITH_BODIES) { transform_body(c, m, index); }
      slot->body.pose = transform_pose(m, &slot->body.pose);
    }
  }
}

/* Do these points, moved, stay within CLOTH_POSITION_LIMIT? */
static int are_points_within(const cloth *c, const rigid_motion *m, vector_array places) {
  for (int32_t i = 0; i < c->count; i++) {
    if (!vector_in_range(transform_point(m, vector_load(places, i)), CLOTH_POSITION_LIMIT)) { return 0; }
  }
  return 1;
}

static int is_slot_within(const collider_slot *slot, const rigid_motion *m) {
  cloth_pose from = transform_pose(m, &slot->previous), to = transform_pose(m, &slot->body.pose);
  return vector_in_range(from.position, CLOTH_POSITION_LIMIT) && vector_in_range(to.position, CLOTH_POSITION_LIMIT);
}

/* Do the ends of pins' moves, moved, stay in range? The velocity of such a pin is its displacement. */
static int are_moves_within(const cloth *c, const rigid_motion *m) {
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector end =
        vector_add(vector_load(vectors_at(c, c->state.position), i), vector_load(vectors_at(c, c->state.velocity), i));
    if ((freedom_of(c)[i] & PIN_MOVING) && !vector_in_range(transform_point(m, end), CLOTH_POSITION_LIMIT)) {
      return 0;
    }
  }
  return 1;
}

/* Do particles, moves of pins, targets and the chosen colliders, moved, stay within CLOTH_POSITION_LIMIT? */
static int stays_within_limit(const cloth *c, const rigid_motion *m, uint64_t colliders) {
  int are_within = are_points_within(c, m, vectors_at(c, c->state.position)) && are_moves_within(c, m);
  if (inputs_of(c)->targets != TARGETS_NONE) {
    are_within = are_within && are_points_within(c, m, target_vectors(c, TARGET_POSITION)) &&
                 are_points_within(c, m, target_vectors(c, TARGET_POSITION_BEFORE));
  }
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    const collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && (colliders >> index & 1u)) { are_within = are_within && is_slot_within(slot, m); }
  }
  return are_within;
}

/* Moves everything that has a place. `dt`: see transform_particles(). */
static void transform_all(const cloth *c, const rigid_motion *m, float dt, uint64_t colliders) {
  transform_particles(c, m, dt);
  transform_targets(c, m);
  if (WITH_COLLIDERS) { transform_contacts(c, m); }
  if (WITH_SELF) { transform_pairs(c, m); }
  transform_confinements(c, m);
  transform_colliders(c, m, colliders);
}

#if WITH_MOVE_FRAME

int cloth_move_frame(cloth *c, const cloth_pose *from, const cloth_pose *to, const cloth_inertia *inertia, float dt,
                     uint64_t colliders) {
  const cloth_inertia none = {0.0f, 0.0f, 0.0f};
  const cloth_inertia *kept = inertia ? inertia : &none;
  RETURN_IF_ERROR(check_call(c, from && to ? from : NULL));
  RETURN_IF_ERROR(check_pose(from));
  RETURN_IF_ERROR(check_pose(to));
  if (!is_time_step(dt)) { return CLOTH_ERROR_RANGE; }
  if (!in_range(kept->linear, 0.0f, 1.0f) || !in_range(kept->angular, 0.0f, 1.0f) ||
      !in_range(kept->centrifugal, 0.0f, 1.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  cloth_pose poses[2] = {normalised_pose(from), normalised_pose(to)};
  rigid_motion m = frame_motion(&poses[0], &poses[1], kept, dt);
  if (!m.turns && m.place.x == m.pivot.x && m.place.y == m.pivot.y && m.place.z == m.pivot.z) { return CLOTH_OK; }
  if (!stays_within_limit(c, &m, colliders)) { return CLOTH_ERROR_RANGE; }
  wake(c);
  transform_all(c, &m, dt, colliders);
  return CLOTH_OK;
}

#endif

#endif
