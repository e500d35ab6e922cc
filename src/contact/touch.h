#pragma once
#include "memory.h"

/// Touches ///

/*
 * The list of the particles that may touch colliders in a substep. A touch holds a block of TOUCH_LANES columns of a
 * row and one collider. All touches of a block of particles form a chain, in the order of the colliders. If the list is
 * full, a new touch takes the place of the one that is farthest out.
 *
 * In: colliders and their poses. Out: the list, scratch.touches; behind it is room for leaves of meshes. Scratch: none.
 */

/* Columns of a touch: as many as the widest lanes have. */
#define TOUCH_LANES 8

/* Floats of a touch for each of its particles: the normal in world axes; the gap; the force along the normal at the
   place of linearisation; stiffness along and across the normal; the offset from the anchor along the surface; distance
   from which the law acts. */
enum {
  TOUCH_NORMAL,
  TOUCH_GAP = TOUCH_NORMAL + 3,
  TOUCH_FORCE,
  TOUCH_ALONG,
  TOUCH_ACROSS,
  TOUCH_OFFSET,
  TOUCH_REACH = TOUCH_OFFSET + 3,
  TOUCH_FLOATS
};

typedef struct touch {
  int16_t row, column, collider;
  uint8_t face; /* of the collider: see face_number() */
  uint8_t fast; /* bits of the particles whose ways in the collider's axes are fast, see FAST_WAY */
  int32_t next; /* in the chain of its block; -1 for the last */
  float value[TOUCH_FLOATS][TOUCH_LANES];
} touch;

/* Gap of particles that a touch does not concern [m]. */
#define FAR_GAP 1.0e9f
/* Ways longer than this share of the thickness are fast: contacts that pull there let go. Slow ones that let go keep a
   drape of 64 x 64 moving at .3 m/s. */
#define FAST_WAY 0.25f
/* The least thickness of contact [m]: the law divides by it. */
#define LEAST_CONTACT 1.0e-4f

static float contact_thickness(const cloth *c) {
  return maximum(c->settings.contact.thickness, LEAST_CONTACT);
}

static int32_t touch_blocks(int32_t columns) {
  return (columns + TOUCH_LANES - 1) / TOUCH_LANES;
}

/* Most touches of a cloth: with all particles between two bodies, and some. On surfaces with creases half as many
   again. With less a sheet that two boxes press has them in turn, and shakes at 2 m/s. */
static int32_t most_touches(int32_t columns, int32_t rows, int32_t has_creases) {
  const int32_t blocks = touch_blocks(columns) * rows;
  return (2 + has_creases) * blocks + 8;
}

/* The heads of all chains, and the list; one touch more than there may be, the one that is being made. */
static int32_t *touch_heads(const cloth *c) {
  return (int32_t *)at(c, c->scratch.touches);
}

static touch *touches_of(const cloth *c) {
  return (touch *)(void *)(touch_heads(c) + touch_blocks(c->grid.columns) * c->grid.rows);
}

static int32_t touch_bytes(int32_t columns, int32_t rows, int32_t has_creases) {
  const int32_t heads = touch_blocks(columns) * rows * (int32_t)sizeof(int32_t);
  const int32_t leaves = WITH_MESH && has_creases ? (int32_t)sizeof(mesh_leaves) : 0;
  return heads + (most_touches(columns, rows, has_creases) + 1) * (int32_t)sizeof(touch) + leaves;
}

/* The leaves of a mesh near a block, behind the touches. */
static mesh_leaves *leaves_of(const cloth *c) {
  return (mesh_leaves *)(void *)(touches_of(c) + c->state.max_touches + 1);
}

/* The chain of the block of particles at a column. */
static int32_t *chain_at(const cloth *c, int32_t row, int32_t column) {
  return touch_heads(c) + row * touch_blocks(c->grid.columns) + column / TOUCH_LANES;
}

/* Runs statements for all touches `e` of a cloth. */
#define EACH_TOUCH(c, e, ...)                                                                                          \
  for (touch *e = touches_of(c), *e##_end = e + workspace_of(c)->touches; e < e##_end; e++) {                          \
    __VA_ARGS__;                                                                                                       \
  }

/* Runs statements for all chains of a cloth: `first` is the number of the first touch. */
#define EACH_CHAIN(c, first, ...)                                                                                      \
  for (int32_t head = 0; head < touch_blocks((c)->grid.columns) * (c)->grid.rows; head++) {                            \
    const int32_t first = touch_heads(c)[head];                                                                        \
    if (first >= 0) { __VA_ARGS__; }                                                                                   \
  }

/* Runs statements for each block of lanes of touch `t`: `k` is its first lane. */
#define EACH_TOUCH_LANES(t, columns, k, ...)                                                                           \
  for (int32_t k = 0; k < TOUCH_LANES && (t)->column + k < (columns); k += CLOTH_LANES) {                              \
    __VA_ARGS__;                                                                                                       \
  }

CLOTH_INLINE lanes touch_load(const touch *t, int32_t what, int32_t k) {
  return lanes_load(&t->value[what][k]);
}

CLOTH_INLINE void touch_store(touch *t, int32_t what, int32_t k, lanes a) {
  lanes_store(&t->value[what][k], a);
}

CLOTH_INLINE lanes3 touch_vector(const touch *t, int32_t what, int32_t k) {
  return lanes3_of(touch_load(t, what, k), touch_load(t, what + 1, k), touch_load(t, what + 2, k));
}

CLOTH_INLINE void touch_vector_store(touch *t, int32_t what, int32_t k, lanes3 a) {
  touch_store(t, what, k, a.x);
  touch_store(t, what + 1, k, a.y);
  touch_store(t, what + 2, k, a.z);
}

/* Which particles touch in lanes `k`. */
CLOTH_INLINE lanes_mask touch_mask(const touch *t, int32_t k) {
  return lanes_less(touch_load(t, TOUCH_GAP, k), lanes_splat(0.5f * FAR_GAP));
}

/* The number of what a touch touches in the memory of contact. */
static int32_t touched_number(const touch *e) {
  return face_number(e->collider, e->face);
}

/* By how much contact is stiffer at a particle than the fabric's, with a map of stiffness: as the stiffest of the
   springs along warp and weft that meet there. */
static float contact_factor(const cloth *c, const float *map, int32_t row, int32_t column) {
  const int32_t columns = c->grid.columns, first = row * columns, is_ring = is_wrapped(c);
  const int32_t left = column > 0 ? column - 1 : is_ring ? columns - 1 : 0;
  const int32_t right = column + 1 < columns ? column + 1 : is_ring ? 0 : column;
  const float above = row > 0 ? map[first - columns + column] : 0.0f;
  const float below = row + 1 < c->grid.rows ? map[first + columns + column] : 0.0f;
  const float beside = maximum(map[first + left], map[first + right]);
  return maximum(0.5f * (map[first + column] + maximum(beside, maximum(above, below))), 1.0f);
}

/* k_0 of lanes `k` of a touch, from that of the fabric. */
CLOTH_INLINE lanes touch_stiffness(const cloth *c, const touch *e, int32_t k, float stiffness) {
  if (!c->constant.stiffness_map) { return lanes_splat(stiffness); }
  const float *map = floats_at(c, c->constant.stiffness_map);
  float factors[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const int32_t column = e->column + k + lane;
    factors[lane] = column < c->grid.columns ? contact_factor(c, map, e->row, column) : 1.0f;
  }
  return lanes_multiply(lanes_load(factors), lanes_splat(stiffness));
}

/* Adds touch number `n` to the end of the chain of its block. */
static void chain_touch(const cloth *c, int32_t n) {
  touch *list = touches_of(c);
  int32_t *end = chain_at(c, list[n].row, list[n].column);
  while (*end >= 0) {
    end = &list[*end].next;
  }
  *end = n;
  list[n].next = -1;
}

/* Takes touch number `n` out of the chain of its block. */
static void unchain_touch(const cloth *c, int32_t n) {
  touch *list = touches_of(c);
  int32_t *to = chain_at(c, list[n].row, list[n].column);
  while (*to != n) {
    to = &list[*to].next;
  }
  *to = list[n].next;
}

static float least_gap(const touch *t) {
  float least = FAR_GAP;
  for (int32_t k = 0; k < TOUCH_LANES; k++) {
    least = minimum(t->value[TOUCH_GAP][k], least);
  }
  return least;
}

/* Keeps the touch that has been made behind the end of the list. */
static void keep_touch(const cloth *c) {
  workspace *w = workspace_of(c);
  touch *list = touches_of(c);
  const int32_t made = w->touches, most = (int32_t)c->state.max_touches;
  if (made < most) {
    w->touches++;
    chain_touch(c, made);
    return;
  }
  int32_t farthest = 0;
  w->statistics.overflows++;
  for (int32_t n = 1; n < most; n++) {
    farthest = least_gap(&list[n]) > least_gap(&list[farthest]) ? n : farthest;
  }
  if (least_gap(&list[made]) < least_gap(&list[farthest])) {
    unchain_touch(c, farthest);
    list[farthest] = list[made];
    chain_touch(c, farthest);
  }
}

static void clear_touches(const cloth *c) {
  int32_t *heads = touch_heads(c);
  for (int32_t n = 0; n < touch_blocks(c->grid.columns) * c->grid.rows; n++) {
    heads[n] = -1;
  }
  workspace_of(c)->touches = workspace_of(c)->may_run_away = 0;
  workspace_of(c)->searched_before += workspace_of(c)->searched;
  workspace_of(c)->searched = 0;
}
