#pragma once
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../base/rigid.h"
#include "../base/scalar.h"
#include "../bodies/body_calls.h"
#include "../cloth/access.h"
#include "../cloth/config.h"
#include "../cloth/gaps.h"
#include "../cloth/settings.h"
#include "../cloth/state.h"
#include "../cloth/step_origin.h"
#include "../cloth/types.h"
#include "../contact/colliders.h"
#include "../contact/memory.h"
#include "../self/memory.h"
#include "../terms/air.h"
#include "../terms/confinement.h"
#include "image_view.h"

/// Portable image ///

#if WITH_IMAGE || WITH_SAVE_CHECKS

/* Portable images: a header, then the state word by word, little-endian. cloth_read_image() checks everything before it
   writes: header, hash, and every value against what calls and steps can produce. check_image_...() return 1 for valid
   content; some also check saves. */

/* Words of the header. */
enum {
  IMAGE_MAGIC,
  IMAGE_STATE_VERSION,
  IMAGE_NUMERICS_VERSION,
  IMAGE_BYTES,
  IMAGE_COLUMNS,
  IMAGE_ROWS,
  IMAGE_COLLIDERS,
  IMAGE_CONFINED,
  IMAGE_CONFIG,                  /* hash of the config, low word first */
  IMAGE_HASH = IMAGE_CONFIG + 2, /* of the state, low word first */
  IMAGE_HEADER_WORDS = IMAGE_HEADER_BYTES / 4
};

/* Bits of IMAGE_OPTIONS. */

/* Range of the length of a unit vector: floats round it, and a moving frame rotates it many times. */
#define UNIT_LENGTH_MIN 0.999f
#define UNIT_LENGTH_MAX 1.001f
/* Largest component of an earlier velocity over CLOTH_SPEED_LIMIT. A vector that confinement or a moving frame rotates
   can have the length of the diagonal of a cube, sqrt(3), along one axis, and some rounding. */
#define CONFINED_SPEED_FACTOR 1.9f

#if WITH_IMAGE

static void describe_image(const cloth *c, uint32_t header[IMAGE_HEADER_WORDS]) {
  fill_zero(header, IMAGE_HEADER_BYTES);
  header[IMAGE_MAGIC] = CLOTH_IMAGE_MAGIC;
  header[IMAGE_STATE_VERSION] = CLOTH_STATE_VERSION;
  header[IMAGE_NUMERICS_VERSION] = CLOTH_NUMERICS_VERSION;
  header[IMAGE_BYTES] = IMAGE_HEADER_BYTES + (c->state.end - c->state.freedom);
  header[IMAGE_COLUMNS] = (uint32_t)c->grid.columns;
  header[IMAGE_ROWS] = (uint32_t)c->grid.rows;
  header[IMAGE_COLLIDERS] = (uint32_t)c->settings.capacity.max_colliders;
  header[IMAGE_CONFINED] = (uint32_t)c->settings.capacity.max_confined;
  header[IMAGE_CONFIG] = c->config_hash[0];
  header[IMAGE_CONFIG + 1] = c->config_hash[1];
}

static void write_words(uint8_t *to, const any_word *words, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    for (int32_t byte = 0; byte < 4; byte++) {
      to[4 * i + byte] = (uint8_t)(words[i] >> (8 * byte));
    }
  }
}

#endif

#if WITH_IMAGE

int cloth_write_image(const cloth *c, void *image, size_t bytes) {
  int error = check_call(c, image);
  if (error) { return error; }
  uint32_t header[IMAGE_HEADER_WORDS];
  describe_image(c, header);
  if (!is_room(c, image, bytes, header[IMAGE_BYTES])) { return CLOTH_ERROR_BUFFER; }
  uint64_t hash = hash_state(c);
  header[IMAGE_HASH] = (uint32_t)hash;
  header[IMAGE_HASH + 1] = (uint32_t)(hash >> 32);
  uint8_t *to = (uint8_t *)image;
  uint32_t freedom_bytes = c->state.colliders - c->state.freedom;
  write_words(to, header, IMAGE_HEADER_WORDS);
  copy_memory(to + IMAGE_HEADER_BYTES, freedom_of(c), freedom_bytes);
  write_words(to + IMAGE_HEADER_BYTES + freedom_bytes, words_at(c, c->state.colliders), state_words(c));
  return CLOTH_OK;
}

/* The error of a header that does not belong to an image of a cloth like this one, or CLOTH_OK. */
static int check_image_header(const cloth *c, const uint32_t header[IMAGE_HEADER_WORDS], size_t bytes) {
  uint32_t expected[IMAGE_HEADER_WORDS];
  describe_image(c, expected);
  for (int32_t i = IMAGE_MAGIC; i < IMAGE_BYTES; i++) {
    if (header[i] != expected[i]) { return CLOTH_ERROR_IMAGE_VERSION; }
  }
  for (int32_t i = IMAGE_BYTES; i < IMAGE_HASH; i++) {
    if (header[i] != expected[i]) { return CLOTH_ERROR_IMAGE_CONFIG; }
  }
  return bytes < header[IMAGE_BYTES] ? CLOTH_ERROR_IMAGE_DAMAGED : CLOTH_OK;
}

static uint64_t hash_image(const uint8_t *body, uint32_t bytes) {
  hasher h;
  hash_start(&h);
  for (uint32_t i = 0; i < bytes; i += 4) {
    hash_word(&h, little_endian_word(body + i));
  }
  return hash_end(&h);
}

#endif

static int is_freedom(uint8_t freedom) {
  return freedom <= FREEDOM_MASK || freedom == (FREEDOM_PINNED | PIN_MOVING) ||
         freedom == (FREEDOM_PINNED | PIN_ARRIVED);
}

/* Are the gusts of inputs as cloth_set_gusts() sets them? */
static int are_image_gusts(const cloth_inputs *inputs) {
  cloth_vector strength = inputs->gust_strength;
  if (inputs->gust_period == 0.0f) {
    return strength.x == 0.0f && strength.y == 0.0f && strength.z == 0.0f && inputs->gust_seed == 0 &&
           inputs->gust_phase[0] == 0 && inputs->gust_phase[1] == 0;
  }
#if WITH_AIR
  return are_gusts(strength, inputs->gust_period);
#else
  return 0;
#endif
}

/* May the zero of positions lie there? */
static int is_image_origin(cloth_metres origin) {
#if WITH_ORIGIN
  return are_metres_within(origin, CLOTH_ORIGIN_LIMIT);
#else
  return origin.x == 0 && origin.y == 0 && origin.z == 0;
#endif
}

static int check_image_inputs(const image_view *view, cloth_inputs *inputs) {
  const uint8_t *from = image_at(view, view->c->state.inputs);
  read_view_words(view, (any_word *)inputs, from, (int32_t)(sizeof(cloth_inputs) / 4));
  const int32_t floats = (int32_t)((sizeof(cloth_inputs) - offsetof(cloth_inputs, last_substep)) / 4);
  const int32_t most_targets = view->c->state.targets ? TARGETS_MOVING : TARGETS_NONE;
  return are_state_floats(view, from + offsetof(cloth_inputs, last_substep), floats) && inputs->collider_end >= 0 &&
         is_image_origin(inputs->origin) && inputs->collider_end <= view->c->settings.capacity.max_colliders &&
         inputs->confined_count >= 0 && inputs->confined_count <= view->c->settings.capacity.max_confined &&
         inputs->tethers_chosen >= 0 &&
         inputs->tethers_chosen <= (view->c->state.tethers ? TETHERS_SET : TETHERS_STALE) &&
         inputs->targets >= TARGETS_NONE && inputs->targets <= most_targets && are_image_gusts(inputs) &&
         inputs->equal_substeps >= 0 && inputs->equal_substeps <= MOST_EQUAL_SUBSTEPS &&
         in_range(inputs->last_substep, 0.0f, 1.0f) && vector_in_range(inputs->gravity, GRAVITY_LIMIT) &&
         vector_in_range(inputs->wind, WIND_LIMIT) && !check_fabric(&inputs->fabric);
}

/* Returns 1 for a collider slot in use, 0 for a free slot, -1 for invalid content. */
static int check_image_slot(const image_view *view, int32_t index) {
  const uint8_t *from = image_at(view, view->c->state.colliders + (uint32_t)index * (uint32_t)sizeof(collider_slot));
  if (is_zero(from, sizeof(collider_slot))) { return 0; }
#if WITH_COLLIDERS
  collider_slot slot;
  read_view_words(view, (any_word *)&slot, from, (int32_t)(sizeof slot / 4));
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

/* The shape of a collider. */
static any_word image_shape(const image_view *view, int32_t index) {
  any_word shape;
  const uint8_t *slot = image_at(view, view->c->state.colliders + (uint32_t)index * (uint32_t)sizeof(collider_slot));
  read_view_words(view, &shape, slot + offsetof(collider_slot, body), 1);
  return shape;
}

static int check_image_colliders(const image_view *view, const cloth_inputs *inputs) {
  int32_t end = 0, meshes = 0;
  for (int32_t index = 0; index < view->c->settings.capacity.max_colliders; index++) {
    int used = check_image_slot(view, index);
    if (used < 0) { return 0; }
    end = used ? index + 1 : end;
    if (used) {
      const any_word shape = image_shape(view, index);
      const int is_mesh = shape == CLOTH_SHAPE_MESH;
      meshes += is_mesh;
      if (shape >= CLOTH_SHAPE_HULL && !is_mesh && !view->c->settings.capacity.geometry) { return 0; }
    }
  }
  return end == inputs->collider_end && meshes <= view->c->settings.capacity.meshes;
}

static int is_image_unit(cloth_vector a) {
  return vector_in_range(a, UNIT_LENGTH_MAX) && in_range(vector_length(a), UNIT_LENGTH_MIN, UNIT_LENGTH_MAX);
}

static int check_image_confinement(const image_view *view, int32_t index, int32_t particle, uint8_t freedom) {
  const uint8_t *from = image_at(view, view->c->state.confined) + (size_t)index * sizeof(confinement);
  confinement held;
  read_view_words(view, (any_word *)&held, from, (int32_t)(sizeof held / 4));
  return held.particle == particle && held.freedom == freedom && are_state_floats(view, from + 8, 6) &&
         is_image_unit(held.direction) && vector_in_range(held.anchor, CLOTH_POSITION_LIMIT);
}

/* Are the next four of `left` particles free? Most are, which saves looking at each. */
static int are_four_free(const uint8_t *freedom, int32_t left) {
  uint32_t four = 0;
  if (left >= 4) { copy_memory(&four, freedom, sizeof four); }
  return four == 0x01010101u * FREEDOM_FREE;
}

/* Are the bytes of a cloth that may tear possible? */
static int are_image_gaps(const image_view *view) {
#if WITH_TEARING
  if (can_tear(view->c)) { return are_gaps_possible(view->c, image_at(view, gap_summary_of(view->c)->tears)); }
#endif
  (void)view;
  return 1;
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
    if (!is_freedom(freedom[i])) { return 0; }
    if (is_gap(c, i, GAP_PARTICLE) && freedom[i] != FREEDOM_PINNED) { return 0; }
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
         (!c->self || is_zero(image_at(view, c->state.freedom) + 2 * (size_t)(uint32_t)c->count + padding, padding)) &&
         are_image_gaps(view);
}

#if WITH_BODIES

/* Is a collider that may have mass in a slot: one that is convex? */
static int may_have_mass(const image_view *view, int32_t index) {
  return check_image_slot(view, index) == 1 && (!WITH_CONCAVE || image_shape(view, index) < CLOTH_SHAPE_HEIGHT_FIELD);
}

/* The bodies are of convex colliders that exist, each of another one, and what follows them in the list is 0. */
static int check_image_bodies(const image_view *view, const cloth_inputs *inputs) {
  const uint8_t *from = image_at(view, view->c->state.bodies);
  const int32_t words = (int32_t)(sizeof(rigid_body) / 4), most = view->c->settings.capacity.max_bodies;
  uint64_t seen = 0;
  for (int32_t n = 0; n < inputs->body_count; n++, from += sizeof(rigid_body)) {
    rigid_body b;
    read_view_words(view, (any_word *)&b, from, words);
    if (b.collider < 0 || b.collider >= view->c->settings.capacity.max_colliders || (seen >> b.collider & 1u) ||
        !may_have_mass(view, b.collider) || !are_state_floats(view, from + 4, words - 1)) {
      return 0;
    }
    const cloth_body body = {b.mass, b.inertia, b.velocity, b.spin, b.gravity};
    if (check_body(&body)) { return 0; }
    seen |= UINT64_C(1) << b.collider;
  }
  return is_zero(from, (size_t)(most - inputs->body_count) * sizeof(rigid_body));
}

/* Is a particle attached once only, among the first `count` attachments? */
static int is_attached_before(const image_view *view, int32_t count, int32_t particle) {
  const uint8_t *from = image_at(view, view->c->state.attachments);
  for (int32_t n = 0; n < count; n++, from += sizeof(attachment)) {
    any_word other;
    read_view_words(view, &other, from, 1);
    if ((int32_t)other == particle) { return 1; }
  }
  return 0;
}

/* Attached particles are pins, each attached once, to colliders that exist, and what follows them in the list is 0. */
static int check_image_attachments(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.attachments), *freedom = image_at(view, c->state.freedom);
  for (int32_t n = 0; n < inputs->attachment_count; n++, from += sizeof(attachment)) {
    attachment a;
    read_view_words(view, (any_word *)&a, from, (int32_t)(sizeof a / 4));
    if (a.particle < 0 || a.particle >= c->count || freedom[a.particle] != FREEDOM_PINNED ||
        is_attached_before(view, n, a.particle) || a.collider < 0 || a.collider >= c->settings.capacity.max_colliders ||
        check_image_slot(view, a.collider) != 1 || !are_state_floats(view, from + 8, 3) ||
        !vector_in_range(a.point, CLOTH_POSITION_LIMIT)) {
      return 0;
    }
  }
  return is_zero(from, (size_t)(c->settings.capacity.max_attachments - inputs->attachment_count) * sizeof(attachment));
}

#endif

#if WITH_SELF

/* Are the entries of the memory of pairs numbers, no more than there is room for, and is what follows them 0? */
static int check_image_pairs(const image_view *view) {
  const cloth *c = view->c;
  if (!c->self) { return 1; }
  const uint32_t most = (uint32_t)memories_of(c).most;
  const uint8_t *from = image_at(view, c->state.pairs);
  any_word head[PAIR_MEMORY_HEAD];
  read_view_words(view, head, from, PAIR_MEMORY_HEAD);
  if (head[0] > most || head[1] != 0u) { return 0; }
  from += PAIR_MEMORY_HEAD * sizeof(uint32_t);
  for (uint32_t n = 0; n < head[0]; n++, from += sizeof(pair_memory)) {
    if (!are_state_floats(view, from + sizeof(pair_key), 3)) { return 0; }
  }
  return is_zero(from, (most - head[0]) * sizeof(pair_memory));
}

#endif

/* Are bodies, attachments and reactions at rest possible? */
static int check_image_coupling(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  if (inputs->body_count < 0 || inputs->body_count > c->settings.capacity.max_bodies || inputs->attachment_count < 0 ||
      inputs->attachment_count > c->settings.capacity.max_attachments || inputs->attachments_taken < 0 ||
      inputs->attachments_taken > inputs->attachment_count ||
      (c->state.resting && !are_state_floats(view, image_at(view, c->state.resting), report_count(c)))) {
    return 0;
  }
#if WITH_COLLIDERS
  if (!check_image_cells(view)) { return 0; }
#endif
#if WITH_SELF
  if (!check_image_pairs(view)) { return 0; }
#endif
#if WITH_BODIES
  return check_image_bodies(view, inputs) && check_image_attachments(view, inputs);
#else
  return 1;
#endif
}

#if WITH_IMAGE

/* Are the components of a vector array within +-limit, and is its padding 0? */
static int check_image_planes(const image_view *view, uint32_t offset, int32_t planes, float limit) {
  const cloth *c = view->c;
  for (int32_t component = 0; component < planes; component++) {
    const uint8_t *from = image_at(view, offset) + (size_t)(component * c->stride) * sizeof(float);
    for (int32_t i = 0; i < c->count; i++) {
      float_bits b;
      b.bits = little_endian_word(from + 4 * i);
      if (!is_state_float(b.bits) || !in_range(b.value, negate(limit), limit)) { return 0; }
    }
    if (!is_zero(from + 4 * c->count, (size_t)(c->stride - c->count) * sizeof(float))) { return 0; }
  }
  return 1;
}

static int check_image_vectors(const image_view *view, uint32_t offset, float limit) {
  return check_image_planes(view, offset, 3, limit);
}

#endif

/* Is a rest time possible? A sleeping cloth has a sleep speed, and all its velocities are 0. */
static int check_image_sleep(const image_view *view, float rest_time) {
  const cloth *c = view->c;
  if (rest_time == ASLEEP) {
    return c->settings.sleep.speed > 0.0f &&
           is_zero(image_at(view, c->state.velocity), 3 * (size_t)c->stride * sizeof(float));
  }
  return rest_time == 0.0f || (c->settings.sleep.speed > 0.0f && in_range(rest_time, 0.0f, c->settings.sleep.time));
}

#if WITH_IMAGE

/* Do tethers lead nowhere or to particles, which are pinned once tethers have been chosen or set? */
static int check_image_tethers(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *words = image_at(view, c->state.tethers);
  const uint8_t *freedom = image_at(view, c->state.freedom);
  for (int32_t i = 0; i < c->settings.tethers.count * c->count; i++) {
    uint32_t pin = little_endian_word(words + 4 * i);
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
  const uint8_t *from = image_at(view, c->state.velocity_history);
  for (int32_t i = 0; i < 3 * history_length(c) * c->stride; i++) {
    float_bits b;
    b.bits = little_endian_word(from + 4 * i);
    int is_forgotten = i % (3 * c->stride) < c->count && b.value == HISTORY_INVALID;
    int is_pad = i % c->stride >= c->count;
    float limit =
        is_pad ? 0.0f
               : CONFINED_SPEED_FACTOR * CLOTH_SPEED_LIMIT; /* confining a particle to a line may rotate its velocity */
    if (!is_forgotten && !(is_state_float(b.bits) && in_range(b.value, negate(limit), limit))) { return 0; }
  }
  return 1;
}

#endif

/* The memory of contact: where it begins, 0 without, and its planes. */
#if WITH_COLLIDERS
#define MEMORY_START(c) ((c)->state.touching)
#define MEMORY_PLANES (MEMORY_SLOTS * MEMORY_FLOATS)
#else
#define MEMORY_START(c) ((void)(c), 0u)
#define MEMORY_PLANES 0
#endif
/* Are the bytes that align vector arrays 0? */
static int check_image_gaps(const image_view *view) {
  const cloth *c = view->c;
  const uint32_t vectors = 3u * (uint32_t)c->stride * (uint32_t)sizeof(float);
  const uint32_t starts[] = {c->state.position, c->state.velocity, c->state.velocity_history, c->state.targets};
  const uint32_t lengths[] = {1, 1, (uint32_t)history_length(c), TARGET_VECTORS};
  uint32_t end = c->state.inputs + (uint32_t)sizeof(cloth_inputs);
  for (int32_t i = 0; i < 4; i++) {
    if (starts[i] && !is_zero(image_at(view, end), starts[i] - end)) { return 0; }
    end = starts[i] ? starts[i] + lengths[i] * vectors : end;
  }
  return !MEMORY_START(c) || is_zero(image_at(view, end), MEMORY_START(c) - end);
}

#if WITH_IMAGE

/* Are two vector arrays of the targets equal? */
static int are_same_targets(const image_view *view, int32_t which, int32_t other) {
  const size_t bytes = 3 * (size_t)view->c->stride * sizeof(float);
  const uint8_t *targets = image_at(view, view->c->state.targets);
  return are_equal(targets + (size_t)which * bytes, targets + (size_t)other * bytes, bytes);
}

static cloth_vector image_vector(const image_view *view, uint32_t offset, int32_t particle) {
  const uint8_t *from = image_at(view, offset) + 4 * (size_t)particle;
  const size_t component = (size_t)view->c->stride * sizeof(float);
  float_bits a[3];
  for (int32_t n = 0; n < 3; n++) {
    a[n].bits = little_endian_word(from + (size_t)n * component);
  }
  return vector(a[0].value, a[1].value, a[2].value);
}

/* Is a normal 0, which is no backstop, or of unit length? */
static int is_image_normal(cloth_vector normal) {
  return vector_length(normal) == 0.0f || is_image_unit(normal);
}

/* Are the drives of motion constraints, which are the x components of vectors, in range? */
static int check_image_drives(const image_view *view, uint32_t offset) {
  const cloth *c = view->c;
  for (int32_t i = 0; i < c->count; i++) {
    const cloth_vector a = image_vector(view, offset, i);
    if (a.x < 0.0f || a.y != 0.0f || a.z != 0.0f) { return 0; }
  }
  return check_image_vectors(view, offset, MAX_DRIVE);
}

/* Are motion constraints, targets and normals in range, targets at rest the same twice, and those never set 0? */
static int check_image_targets(const image_view *view, int32_t targets) {
  const cloth *c = view->c;
  const uint32_t vector_bytes = 3u * (uint32_t)c->stride * (uint32_t)sizeof(float);
  for (int32_t which = 0; which < TARGET_MOTIONS; which++) {
    float most = which == TARGET_LIMIT ? CLOTH_ANY_DISTANCE : CLOTH_POSITION_LIMIT;
    uint32_t offset = c->state.targets + (uint32_t)which * vector_bytes;
    if (!check_image_vectors(view, offset, most)) { return 0; }
    for (int32_t i = 0; i < c->count; i++) {
      cloth_vector a = image_vector(view, offset, i);
      if ((which == TARGET_LIMIT && !is_motion_limit(a)) || (which >= TARGET_NORMAL && !is_image_normal(a))) {
        return 0;
      }
    }
  }
  const uint8_t *places = image_at(view, c->state.targets + vector_bytes);
  return check_image_drives(view, c->state.targets + (uint32_t)TARGET_DRIVE * vector_bytes) &&
         (targets == TARGETS_MOVING || (are_same_targets(view, TARGET_POSITION, TARGET_POSITION_BEFORE) &&
                                        are_same_targets(view, TARGET_NORMAL, TARGET_NORMAL_BEFORE))) &&
         (targets != TARGETS_NONE || is_zero(places, (TARGET_MOTIONS - 1) * (size_t)vector_bytes));
}

static int check_image_content(const image_view *view) {
  const cloth *c = view->c;
  cloth_inputs inputs;
  return check_image_inputs(view, &inputs) && check_image_colliders(view, &inputs) &&
         check_image_confined(view, &inputs) && check_image_coupling(view, &inputs) && check_image_gaps(view) &&
         check_image_vectors(view, c->state.position, CLOTH_POSITION_LIMIT) &&
         check_image_vectors(view, c->state.velocity, CLOTH_SPEED_LIMIT) && check_image_sleep(view, inputs.rest_time) &&
         (!c->state.tethers || check_image_tethers(view, &inputs)) &&
         (!c->state.velocity_history || check_image_history(view)) &&
         (!c->state.targets || check_image_targets(view, inputs.targets)) &&
         (!MEMORY_START(c) || check_image_planes(view, MEMORY_START(c), MEMORY_PLANES, MEMORY_LIMIT));
}

int cloth_read_image(cloth *c, const void *image, size_t bytes) {
  int error = check_call(c, image);
  if (error) { return error; }
  if (bytes < IMAGE_HEADER_BYTES) { return CLOTH_ERROR_IMAGE_DAMAGED; }
  uint32_t header[IMAGE_HEADER_WORDS];
  const uint8_t *from = (const uint8_t *)image;
  read_words(header, from, IMAGE_HEADER_WORDS);
  error = check_image_header(c, header, bytes);
  if (error) { return error; }
  image_view view = {c, from + IMAGE_HEADER_BYTES, 0};
  uint64_t hash = hash_image(view.state, c->state.end - c->state.freedom);
  if (header[IMAGE_HASH] != (uint32_t)hash || header[IMAGE_HASH + 1] != (uint32_t)(hash >> 32)) {
    return CLOTH_ERROR_IMAGE_DAMAGED;
  }
  if (!check_image_content(&view)) { return CLOTH_ERROR_IMAGE_CONTENT; }
  copy_memory(freedom_of(c), view.state, c->state.colliders - c->state.freedom);
  read_words((any_word *)at(c, c->state.colliders), image_at(&view, c->state.colliders), state_words(c));
  return CLOTH_OK;
}

#endif

#endif
