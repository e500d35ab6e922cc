#pragma once
#include "../bodies/body_calls.h"
#include "../bodies/colliders.h"
#include "../contact/cell_memory.h"
#include "../contact/memory.h"
#include "../self/memory.h"
#include "../terms/air.h"
#include "../terms/confinement.h"

/// What a state may hold ///

/*
 * The state in an image or a save, read at the offsets that its parts have in the cloth, and its checks, which return 1
 * for valid content. Of both every value of inputs, lists and freedoms is checked against what calls and steps can
 * produce. Of the arrays of an image, too; of those of a save every float's range and every index alone, so that a
 * step stays in bounds and finite, and the check is as fast as the copy. In: the caller's bytes. Scratch: none.
 */

/* Range of the length of a unit vector: floats round it, and a moving frame rotates it many times. */
#define UNIT_LENGTH_MIN 0.999f
#define UNIT_LENGTH_MAX 1.001f
/* Largest component of an earlier velocity over CLOTH_SPEED_LIMIT. A vector that confinement or a moving frame rotates
   can have the length of the diagonal of a cube, sqrt(3), along one axis, and some rounding. */
#define CONFINED_SPEED_FACTOR 1.9f
/* More than any number in the memory of contact. */
#define MEMORY_LIMIT 1.0e12f
/* By how much two weights of a point may exceed 1: roundings. */
#define MOST_WEIGHT_ERROR 1.0e-5f

/// Reading ///

typedef struct image_view {
  const cloth *c;
  const uint8_t *state;
  int32_t is_save; /* 1: its words are those of this machine, 0: they are little-endian */
} image_view;

CLOTH_INLINE int is_save(const image_view *view) {
  return WITH_SAVE_CHECKS && (!WITH_IMAGE || view->is_save);
}

static const uint8_t *image_at(const image_view *view, uint32_t offset) {
  return view->state + (offset - view->c->state.freedom);
}

static uint32_t little_endian_word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void read_words(any_word *words, const uint8_t *from, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    words[i] = little_endian_word(from + 4 * i);
  }
}

CLOTH_INLINE float_bits view_word(const image_view *view, const uint8_t *from) {
  float_bits word;
  word.bits = little_endian_word(from);
  if (is_save(view)) { copy_memory(&word, from, sizeof word); }
  return word;
}

static void read_view(const image_view *view, void *to, const uint8_t *from, size_t bytes) {
  if (is_save(view)) {
    copy_memory(to, from, bytes);
  } else {
    read_words((any_word *)to, from, (int32_t)(bytes / 4));
  }
}

/* Is a word +0, or a finite float of at least 2^-40 in magnitude, as all floats of a state are? */
static int is_state_float(uint32_t word) {
  uint32_t exponent = (word >> 23) & 255u;
  return word == 0 || (exponent >= 127u - 40u && exponent < 255u);
}

static int are_state_floats(const image_view *view, const uint8_t *from, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (!is_state_float(view_word(view, from + 4 * i).bits)) { return 0; }
  }
  return 1;
}

static int are_floats_within(const image_view *view, const uint8_t *from, int32_t count, float low, float high) {
  for (int32_t i = 0; i < count; i++) {
    const float_bits b = view_word(view, from + 4 * i);
    if (!is_state_float(b.bits) || !in_range(b.value, low, high)) { return 0; }
  }
  return 1;
}

/* Reads eight bytes at a time: a sleeping cloth has many zeros. */
static int is_zero(const uint8_t *from, size_t bytes) {
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t eight;
    copy_memory(&eight, from + i, sizeof eight);
    if (eight) { return 0; }
  }
  for (; i < bytes; i++) {
    if (from[i]) { return 0; }
  }
  return 1;
}

/// Inputs, colliders, freedoms ///

/* Are the gusts of inputs as cloth_set_gusts() sets them? */
static int are_image_gusts(const cloth_inputs *inputs) {
  cloth_vector strength = inputs->gust_strength;
  if (inputs->gust_period == 0.0f) {
    return vector_is_zero(strength) && inputs->gust_seed == 0 && inputs->gust_phase[0] == 0 &&
           inputs->gust_phase[1] == 0;
  }
  return WITH_AIR && are_gusts(strength, inputs->gust_period);
}

static int is_up_to(int32_t value, int32_t most) {
  return value >= 0 && value <= most;
}

static int check_image_inputs(const image_view *view, cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.inputs);
  read_view(view, inputs, from, sizeof *inputs);
  const int32_t floats = (int32_t)((sizeof(cloth_inputs) - offsetof(cloth_inputs, last_substep)) / 4);
  return are_state_floats(view, from + offsetof(cloth_inputs, last_substep), floats) &&
         are_metres_within(inputs->origin, WITH_ORIGIN ? CLOTH_ORIGIN_LIMIT : 0) &&
         is_up_to(inputs->collider_end, c->settings.capacity.max_colliders) &&
         is_up_to(inputs->confined_count, c->settings.capacity.max_confined) &&
         is_up_to(inputs->body_count, c->settings.capacity.max_bodies) &&
         is_up_to(inputs->attachment_count, c->settings.capacity.max_attachments) &&
         is_up_to(inputs->attachments_taken, inputs->attachment_count) &&
         is_up_to(inputs->tethers_chosen, c->state.tethers ? TETHERS_SET : TETHERS_STALE) &&
         is_up_to(inputs->targets, c->state.targets ? TARGETS_MOVING : TARGETS_NONE) && are_image_gusts(inputs) &&
         is_up_to(inputs->equal_substeps, MOST_EQUAL_SUBSTEPS) && in_range(inputs->last_substep, 0.0f, 1.0f) &&
         vector_in_range(inputs->gravity, GRAVITY_LIMIT) && vector_in_range(inputs->wind, WIND_LIMIT) &&
         !check_fabric(&inputs->fabric);
}

static const uint8_t *image_slot(const image_view *view, int32_t index) {
  return image_at(view, view->c->state.colliders) + (size_t)index * sizeof(collider_slot);
}

/* Returns 1 for a collider slot in use, 0 for a free slot, -1 for invalid content. */
static int check_image_slot(const image_view *view, int32_t index) {
  const uint8_t *from = image_slot(view, index);
  if (is_zero(from, sizeof(collider_slot))) { return 0; }
#if WITH_COLLIDERS
  collider_slot slot;
  read_view(view, &slot, from, sizeof slot);
  if (!are_state_floats(view, from + 24, (int32_t)(sizeof slot / 4) - 6) || check_collider(&slot.body) ||
      check_pose(&slot.previous)) {
    return -1;
  }
  /* Storing the collider again must give the same slot, but for rotations, whose last bits may change. */
  collider_slot stored = stored_collider(&slot.body);
  stored.body.pose = slot.body.pose;
  stored.previous = slot.previous;
  if (are_equal(&stored, &slot, sizeof slot)) { return 1; }
#endif
  return -1;
}

static uint32_t image_shape(const image_view *view, int32_t index) {
  return view_word(view, image_slot(view, index) + offsetof(collider_slot, body)).bits;
}

static int check_image_colliders(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  int32_t end = 0, meshes = 0;
  for (int32_t index = 0; index < c->settings.capacity.max_colliders; index++) {
    const int used = check_image_slot(view, index);
    if (used < 0) { return 0; }
    if (used) {
      const uint32_t shape = image_shape(view, index);
      const int is_mesh = shape == CLOTH_SHAPE_MESH;
      end = index + 1;
      meshes += is_mesh;
      if (shape >= CLOTH_SHAPE_HULL && !is_mesh && !c->settings.capacity.geometry) { return 0; }
    }
  }
  return end == inputs->collider_end && meshes <= c->settings.capacity.meshes;
}

static int is_image_unit(cloth_vector a) {
  return vector_in_range(a, UNIT_LENGTH_MAX) && in_range(vector_length(a), UNIT_LENGTH_MIN, UNIT_LENGTH_MAX);
}

static int check_image_confinement(const image_view *view, int32_t index, int32_t particle, uint8_t freedom) {
  const uint8_t *from = image_at(view, view->c->state.confined) + (size_t)index * sizeof(confinement);
  confinement held;
  read_view(view, &held, from, sizeof held);
  return held.particle == particle && held.freedom == freedom && are_state_floats(view, from + 8, 6) &&
         is_image_unit(held.direction) && vector_in_range(held.anchor, CLOTH_POSITION_LIMIT);
}

static int is_freedom(uint8_t freedom) {
  return freedom <= FREEDOM_MASK || freedom == (FREEDOM_PINNED | PIN_MOVING) ||
         freedom == (FREEDOM_PINNED | PIN_ARRIVED);
}

/* Are the next four of `left` particles free? Most are, which saves looking at each. */
static int are_four_free(const uint8_t *freedom, int32_t left) {
  uint32_t four = 0;
  if (left >= 4) { copy_memory(&four, freedom, sizeof four); }
  return four == 0x01010101u * FREEDOM_FREE;
}

/* Are freedoms valid, confined particles those of the list, in ascending order, and is its rest 0? */
static int check_image_confined(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *freedom = image_at(view, c->state.freedom);
  int32_t listed = 0;
  for (int32_t i = 0; i < c->count; i++) {
    if (!has_gaps(c) && are_four_free(freedom + i, c->count - i)) {
      i += 3;
      continue;
    }
    if (!is_freedom(freedom[i]) || (is_gap(c, i, GAP_PARTICLE) && freedom[i] != FREEDOM_PINNED)) { return 0; }
    if (is_confined(freedom[i])) {
      if (listed == inputs->confined_count || !check_image_confinement(view, listed, i, freedom[i])) { return 0; }
      listed++;
    }
  }
  const uint8_t *rest = image_at(view, c->state.confined) + (size_t)listed * sizeof(confinement);
  const uint32_t padding = (uint32_t)(-c->count & 3); /* behind the bytes of all particles */
  return listed == inputs->confined_count &&
         is_zero(rest, (size_t)(c->settings.capacity.max_confined - listed) * sizeof(confinement)) &&
         is_zero(freedom + c->count, padding) &&
         (!c->self || is_zero(freedom + 2 * (size_t)(uint32_t)c->count + padding, padding)) &&
         (!can_tear(c) || are_gaps_possible(c, image_at(view, gap_summary_of(c)->tears)));
}

/// Bodies, and what contacts remember ///

/* Is a collider that may have mass in a slot: one that is convex? */
static int may_have_mass(const image_view *view, int32_t index) {
  return check_image_slot(view, index) == 1 && (!WITH_CONCAVE || image_shape(view, index) < CLOTH_SHAPE_HEIGHT_FIELD);
}

/* The bodies are of convex colliders that exist, each of another one, and what follows them in the list is 0. */
static int check_image_bodies(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.bodies);
  uint64_t seen = 0;
  for (int32_t n = 0; n < inputs->body_count; n++, from += sizeof(rigid_body)) {
    rigid_body b;
    read_view(view, &b, from, sizeof b);
    if (b.collider < 0 || b.collider >= c->settings.capacity.max_colliders || (seen >> b.collider & 1u) ||
        !may_have_mass(view, b.collider) || !are_state_floats(view, from + 4, (int32_t)(sizeof b / 4) - 1)) {
      return 0;
    }
    const cloth_body body = {b.mass, b.inertia, b.velocity, b.spin, b.gravity};
    if (check_body(&body)) { return 0; }
    seen |= UINT64_C(1) << b.collider;
  }
  return is_zero(from, (size_t)(c->settings.capacity.max_bodies - inputs->body_count) * sizeof(rigid_body));
}

/* Is a particle attached once only, among the first `count` attachments? */
static int is_attached_before(const image_view *view, int32_t count, int32_t particle) {
  const uint8_t *from = image_at(view, view->c->state.attachments);
  for (int32_t n = 0; n < count; n++, from += sizeof(attachment)) {
    if ((int32_t)view_word(view, from).bits == particle) { return 1; }
  }
  return 0;
}

/* Attached particles are pins, each attached once, to colliders that exist, and what follows them in the list is 0. */
static int check_image_attachments(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.attachments), *freedom = image_at(view, c->state.freedom);
  for (int32_t n = 0; n < inputs->attachment_count; n++, from += sizeof(attachment)) {
    attachment a;
    read_view(view, &a, from, sizeof a);
    if (a.particle < 0 || a.particle >= c->count || freedom[a.particle] != FREEDOM_PINNED ||
        is_attached_before(view, n, a.particle) || a.collider < 0 || a.collider >= c->settings.capacity.max_colliders ||
        check_image_slot(view, a.collider) != 1 || !are_state_floats(view, from + 8, 3) ||
        !vector_in_range(a.point, CLOTH_POSITION_LIMIT)) {
      return 0;
    }
  }
  return is_zero(from, (size_t)(c->settings.capacity.max_attachments - inputs->attachment_count) * sizeof(attachment));
}

/* Are the entries of the memory of pairs numbers, no more than there is room for, and is what follows them 0? */
static int check_image_pairs(const image_view *view) {
  const cloth *c = view->c;
  if (!c->self) { return 1; }
  const uint32_t most = (uint32_t)memories_of(c).most;
  const uint8_t *from = image_at(view, c->state.pairs);
  uint32_t head[PAIR_MEMORY_HEAD];
  read_view(view, head, from, sizeof head);
  if (head[0] > most || head[1] != 0u) { return 0; }
  from += sizeof head;
  for (uint32_t n = 0; n < head[0]; n++, from += sizeof(pair_memory)) {
    if (!are_state_floats(view, from + sizeof(pair_key), 3)) { return 0; }
  }
  return is_zero(from, (most - head[0]) * sizeof(pair_memory));
}

/* Does an entry of the memory of cells name a cell of the grid, and a point within its triangle? */
static int is_possible_cell(const image_view *view, const cell_memory *m, const uint8_t *from) {
  const cloth *c = view->c;
  int32_t row, column;
  cell_of_key(c, m->key, &row, &column);
  return row + 1 < c->grid.rows && column < cells_along_warp(c) && m->slides <= 1u &&
         are_floats_within(view, from + 8, 2, 0.0f, 1.0f) && m->weight[0] + m->weight[1] <= 1.0f + MOST_WEIGHT_ERROR &&
         are_floats_within(view, from + 16, 6, -MEMORY_LIMIT, MEMORY_LIMIT);
}

/* Are the entries of the memory of cells possible, in the order of their keys, and is what follows them 0? */
static int check_image_cells(const image_view *view) {
  const cloth *c = view->c;
  if (!c->state.cells) { return 1; }
  const uint32_t most = c->state.max_cells, colliders = CLOTH_COLLIDER_LIMIT + CLOTH_SHARED_BODY_LIMIT;
  const uint8_t *from = image_at(view, c->state.cells);
  uint32_t head[CELL_MEMORY_HEAD], least = 0;
  read_view(view, head, from, sizeof head);
  if (head[0] > most || head[1] != 0u) { return 0; }
  from += sizeof head;
  for (uint32_t n = 0; n < head[0]; n++, from += sizeof(cell_memory)) {
    cell_memory m;
    read_view(view, &m, from, sizeof m);
    if (m.key < least || m.key >= colliders << CELL_NUMBER_BITS || !is_possible_cell(view, &m, from)) { return 0; }
    least = m.key + 1u;
  }
  return is_zero(from, (most - head[0]) * sizeof(cell_memory));
}

/* Are bodies, attachments, reactions at rest and what contacts remember possible? */
static int check_image_coupling(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  int is_possible = !c->state.resting || are_state_floats(view, image_at(view, c->state.resting), report_count(c));
  is_possible = is_possible && (!WITH_COLLIDERS || check_image_cells(view)) && (!WITH_SELF || check_image_pairs(view));
  return is_possible && (!WITH_BODIES || (check_image_bodies(view, inputs) && check_image_attachments(view, inputs)));
}

/// Vector arrays ///

static uint32_t vector_bytes(const cloth *c) {
  return 3u * (uint32_t)c->stride * (uint32_t)sizeof(float);
}

/* Are the bytes that align vector arrays 0? */
static int check_image_gaps(const image_view *view) {
  const cloth *c = view->c;
  const uint32_t starts[] = {c->state.position, c->state.velocity, c->state.velocity_history, c->state.targets,
                             c->state.touching};
  const uint32_t lengths[] = {1, 1, (uint32_t)history_length(c), TARGET_VECTORS, 0};
  uint32_t end = c->state.inputs + (uint32_t)sizeof(cloth_inputs);
  for (int32_t i = 0; i < 5; i++) {
    if (starts[i] && !is_zero(image_at(view, end), starts[i] - end)) { return 0; }
    end = starts[i] ? starts[i] + lengths[i] * vector_bytes(c) : end;
  }
  return 1;
}

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

/* Are all floats of a save within +-limit? Infinity and what is no number are not. */
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

/* Are components of vectors within +-limit, and in an image floats of a state, and 0 behind those of the particles? */
static int are_planes_within(const image_view *view, uint32_t offset, int32_t planes, float limit) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, offset);
  if (is_save(view)) { return are_within(from, planes * c->stride, limit); }
  for (int32_t n = 0; n < planes; n++, from += (size_t)c->stride * sizeof(float)) {
    if (!are_floats_within(view, from, c->count, negate(limit), limit) ||
        !is_zero(from + 4 * c->count, (size_t)(c->stride - c->count) * sizeof(float))) {
      return 0;
    }
  }
  return 1;
}

/* The same of all arrays. */
static int check_image_vectors(const image_view *view) {
  const state_offsets *state = &view->c->state;
  const uint32_t targets = state->targets, next = targets ? vector_bytes(view->c) : 0u;
  const uint32_t offsets[] = {state->position,
                              state->velocity,
                              state->velocity_history,
                              targets,
                              targets + next,
                              targets + TARGET_NORMAL * next,
                              targets + TARGET_DRIVE * next,
                              state->touching};
  const int32_t planes[] = {3, 3, 3 * history_length(view->c), 3, 6, 6, 3, MEMORY_SLOTS * MEMORY_FLOATS};
  const float limits[] = {CLOTH_POSITION_LIMIT, CLOTH_SPEED_LIMIT, HISTORY_INVALID, CLOTH_ANY_DISTANCE,
                          CLOTH_POSITION_LIMIT, UNIT_LENGTH_MAX,   MAX_DRIVE,       MEMORY_LIMIT};
  for (int32_t i = 0; i < 8; i++) {
    if (offsets[i] && !are_planes_within(view, offsets[i], planes[i], limits[i])) { return 0; }
  }
  return 1;
}

/* Is a rest time possible? A sleeping cloth has a sleep speed, and all its velocities are 0. */
static int check_image_sleep(const image_view *view, float rest_time) {
  const cloth *c = view->c;
  if (rest_time == ASLEEP) {
    return c->settings.sleep.speed > 0.0f && is_zero(image_at(view, c->state.velocity), vector_bytes(c));
  }
  return rest_time == 0.0f || (c->settings.sleep.speed > 0.0f && in_range(rest_time, 0.0f, c->settings.sleep.time));
}

CLOTH_INLINE uint32_t with_anchor(uint32_t highest, const uint8_t *from) {
  uint32_t anchor;
  copy_memory(&anchor, from, sizeof anchor);
  return anchor + 1u > highest ? anchor + 1u : highest;
}

/* Is the anchor of every tether of a save a particle, or -1? */
CLOTH_HOT CLOTH_SEPARATE int check_save_tethers(const image_view *view, int32_t tethers) {
  const uint8_t *from = image_at(view, view->c->state.tethers);
  uint32_t even = 0, odd = 0; /* the highest anchor, plus 1, of every other word */
  int32_t i = 0;
  for (; i + 4 <= tethers; i += 4, from += 16) {
    even = with_anchor(with_anchor(even, from), from + 8);
    odd = with_anchor(with_anchor(odd, from + 4), from + 12);
  }
  for (; i < tethers; i++, from += 4) {
    even = with_anchor(even, from);
  }
  return even <= (uint32_t)view->c->count && odd <= (uint32_t)view->c->count;
}

/* Do tethers lead nowhere or to particles, which in an image are pinned once tethers have been chosen or set? */
static int check_image_tethers(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const int32_t tethers = c->state.tethers ? c->settings.tethers.count * c->count : 0;
  if (is_save(view)) { return check_save_tethers(view, tethers); }
  const uint8_t *words = image_at(view, c->state.tethers), *freedom = image_at(view, c->state.freedom);
  for (int32_t i = 0; i < tethers; i++) {
    const uint32_t pin = little_endian_word(words + 4 * i);
    if (pin != 0xffffffffu &&
        (pin >= (uint32_t)c->count || (inputs->tethers_chosen && (freedom[pin] & FREEDOM_MASK) != FREEDOM_PINNED))) {
      return 0;
    }
  }
  return 1;
}

/* Is the velocity history in range? The x components of its vectors may have the mark of an invalid history. */
static int check_image_history(const image_view *view) {
  const cloth *c = view->c;
  const float limit = CONFINED_SPEED_FACTOR * CLOTH_SPEED_LIMIT;
  const uint8_t *from = image_at(view, c->state.velocity_history);
  const int32_t floats = c->state.velocity_history ? 3 * history_length(c) * c->stride : 0;
  for (int32_t i = 0; i < floats; i++) {
    const float value = view_word(view, from + 4 * i).value;
    const int is_forgotten = i % (3 * c->stride) < c->stride && value == HISTORY_INVALID;
    if (!is_forgotten && !in_range(value, negate(limit), limit)) { return 0; }
  }
  return 1;
}

/// Targets ///

static cloth_vector image_vector(const image_view *view, uint32_t offset, int32_t particle) {
  const uint8_t *from = image_at(view, offset) + 4 * (size_t)particle;
  const size_t next = (size_t)view->c->stride * sizeof(float);
  return vector(view_word(view, from).value, view_word(view, from + next).value,
                view_word(view, from + 2 * next).value);
}

static int are_same_targets(const image_view *view, int32_t which, int32_t other) {
  const size_t bytes = vector_bytes(view->c);
  const uint8_t *targets = image_at(view, view->c->state.targets);
  return are_equal(targets + (size_t)which * bytes, targets + (size_t)other * bytes, bytes);
}

/* May a particle have this motion constraint, backstop or drive? A normal is 0, which is no backstop, or of unit
   length; the stiffness of a drive is the x component of a vector. */
static int is_possible_target(int32_t which, cloth_vector a) {
  if (which == TARGET_LIMIT) { return is_motion_limit(a); }
  if (which == TARGET_DRIVE) { return a.x >= 0.0f && a.y == 0.0f && a.z == 0.0f; }
  return which < TARGET_NORMAL || vector_length(a) == 0.0f || is_image_unit(a);
}

/* Are motion constraints, normals and drives possible, targets at rest the same twice, and those never set 0? */
static int check_image_targets(const image_view *view, int32_t targets) {
  const cloth *c = view->c;
  const uint32_t bytes = vector_bytes(c);
  if (!c->state.targets) { return 1; }
  for (int32_t n = 0; n < TARGET_VECTORS * c->count; n++) {
    const int32_t which = n / c->count;
    const cloth_vector a = image_vector(view, c->state.targets + (uint32_t)which * bytes, n - which * c->count);
    if (!is_possible_target(which, a)) { return 0; }
  }
  return (targets == TARGETS_MOVING || (are_same_targets(view, TARGET_POSITION, TARGET_POSITION_BEFORE) &&
                                        are_same_targets(view, TARGET_NORMAL, TARGET_NORMAL_BEFORE))) &&
         (targets != TARGETS_NONE ||
          is_zero(image_at(view, c->state.targets + bytes), (TARGET_MOTIONS - 1) * (size_t)bytes));
}

static int check_image_content(const image_view *view) {
  cloth_inputs inputs;
  return check_image_inputs(view, &inputs) && check_image_colliders(view, &inputs) &&
         check_image_confined(view, &inputs) && check_image_coupling(view, &inputs) && check_image_gaps(view) &&
         check_image_vectors(view) && check_image_sleep(view, inputs.rest_time) && check_image_tethers(view, &inputs) &&
         (is_save(view) || (check_image_history(view) && check_image_targets(view, inputs.targets)));
}
