#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
#include "self_batches.h"
#include "self_cull.h"
#include "self_folds.h"
#include "self_gather.h"
#include "self_rims.h"
#include "self_spheres.h"
#include "self_state.h"
#include "self_tree.h"
#include "self_untangle.h"
#include "step/coefficients.h"
#include "types.h"

/// Self-contact ///

#if WITH_SELF

/*
 * Contact of a cloth with itself: particles against triangles. A particle that is closer to a triangle's plane than the
 * thickness, or has passed it, and lies over the triangle, is moved out along the normal, the triangle the other way by
 * their weights, with Coulomb friction on displacements. The side on which the particle belongs is where it was when
 * the substep began: what the springs of the substep have carried through is brought back, and what was tangled before
 * stays as it is, for the contour step (self_untangle.h). Where the last sweep still finds particles on the wrong side,
 * they and their triangles are held: they move together, by their mean displacement, so that they are on the same side
 * as before whatever pulls (as rigid impact zones do, Provot 1997). That keeps momentum and takes energy.
 *
 * Or of particles with particles, self.shape: two that are closer than the thickness are moved apart, with the same
 * law.
 *
 * Contact follows the solve of a substep, or of each part of it: it changes the positions and velocities that the solve
 * has given, without its terms. A particle that it has moved has no velocity history for the next substep: what was
 * stopped is not to be extrapolated. At rest the solve moves cloth that lies on cloth by what forces do in a substep,
 * and contact takes back the way and the velocity alike: the next substep begins where this one did.
 *
 * In: positions at the start of the part, positions and velocities of the state, mobilities, batches. Out: positions,
 * velocities, the velocity history of what was moved. Scratch: mobilities; a byte per particle.
 */

/* How far outside a triangle a particle still touches it, and is still held by it, as a share of its height. */
#define SELF_MARGIN 0.05f
#define SELF_HOLD_MARGIN 0.2f

/* Loop invariants of contact between the particles of one cloth and the cells of another, or the same. */
typedef struct self_context {
  const self_body *a, *b;
  float thickness, friction, inverse_h, least_square, margin;
  float way;        /* by which they part at most in a substep [m] */
  int32_t is_round; /* 1: of particles with particles */
} self_context;

/* A block of candidates: where their numbers are. */
typedef struct self_block {
  const uint16_t *particle, *cell, *right; /* of the candidates; `right` the second corner of the cell, less next */
  uint16_t round_tube[CLOTH_LANES];        /* second corners of the cells of a tube */
  int32_t next, below;                     /* from `right` to the second corner, and from a row to the next */
  lanes_mask used;                         /* where there is a candidate */
} self_block;

/* The block of candidates of a batch from `first` on, of `count` in all. */
CLOTH_INLINE void find_block(const self_context *s, const self_batch *batch, int32_t first, int32_t count,
                             self_block *b) {
  b->particle = batch->particle + first;
  b->cell = b->right = batch->cell + first;
  if (s->b->is_wrapped) {
    find_second_corners(s->b, b->cell, b->round_tube);
    b->right = b->round_tube;
  }
  b->next = !s->b->is_wrapped;
  b->below = s->b->columns;
  b->used = lanes_first(count - first);
}

/* Places of the particles and of the other corners of the cells, relative to the first, in multiples of 2^-30 m. */
typedef struct self_quad {
  lanes3 particle, right, across, below;
} self_quad;

CLOTH_REPEATED void find_quad(const self_block *b, vector_array particles, vector_array cells, self_quad *q) {
  const lanes3 first = lanes3_pick(cells, b->cell, 0);
  q->particle = lanes3_exact_difference(lanes3_pick(particles, b->particle, 0), first);
  q->right = lanes3_exact_difference(lanes3_pick(cells, b->right, b->next), first);
  q->across = lanes3_exact_difference(lanes3_pick(cells, b->right, b->next + b->below), first);
  q->below = lanes3_exact_difference(lanes3_pick(cells, b->cell, b->below), first);
}

/* Candidates of a block that touch a triangle of their cell. */
typedef struct self_touch {
  self_quad place, start; /* predicted, and when the substep began */
  lanes3 normal;          /* of unit length, to the side of the particle */
  lanes push;             /* how far to move them apart [m] */
  lanes_mask second;      /* which of them touch the second triangle of their cell */
  lanes square;           /* of the normal of the triangle before it had unit length [m^4] */
  lanes beside, end;      /* parts of it that belong to the corner beside the diagonal, and to the one at its end */
} self_touch;

/* Share of a triangle's corner in the point of contact: 0 if it is small, negative to 0. */
CLOTH_INLINE lanes corner_share(lanes area, lanes square) {
  const lanes_mask is_large = lanes_less(lanes_multiply(square, lanes_splat(SELF_LEAST_WEIGHT)), area);
  return lanes_divide(lanes_keep(is_large, area), square);
}

/* Whether the substep began with the particles on the side to which the normals of their triangles point: 1 or -1. */
CLOTH_INLINE lanes side_at_start(const self_touch *t) {
  const self_quad *q = &t->start;
  const lanes3 normal =
      lanes3_cross(lanes3_select(t->second, q->across, q->right), lanes3_select(t->second, q->below, q->across));
  return lanes_sign(lanes3_dot(q->particle, normal));
}

/* Finds which candidates of a block are over, or under, the triangle of their cell that is on their side of its
   diagonal. */
CLOTH_INLINE lanes_mask find_over(const self_context *s, const self_block *b, self_touch *t) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  self_quad *q = &t->place;
  find_quad(b, s->a->place, s->b->place, q);
  const lanes3 first_normal = lanes3_cross(q->right, q->across), second_normal = lanes3_cross(q->across, q->below);
  const lanes3 across = lanes3_cross(q->across, q->particle);
  t->second = lanes_less(zero, lanes3_dot(across, lanes3_add(first_normal, second_normal)));
  const lanes3 normal = lanes3_select(t->second, second_normal, first_normal);
  const lanes3 along = lanes3_cross(q->particle, lanes3_select(t->second, q->below, q->right));
  const lanes sign = lanes_select(t->second, one, lanes_splat(-1.0f));
  const lanes square = lanes3_dot(normal, normal);
  const lanes beside = lanes_multiply(lanes3_dot(across, normal), sign);
  const lanes end = lanes_multiply(lanes3_dot(along, normal), sign);
  const lanes margin = lanes_multiply(square, lanes_splat(negate(s->margin)));
  lanes_mask over = lanes_both(b->used, lanes_less(lanes_splat(s->least_square), square));
  over = lanes_both(over, lanes_both(lanes_less(margin, beside), lanes_less(margin, end)));
  over = lanes_both(over, lanes_less(lanes_add(lanes_add(beside, end), margin), square));
  t->normal = normal;
  t->square = lanes_select(over, square, one);
  t->beside = lanes_keep(over, beside);
  t->end = lanes_keep(over, end);
  return over;
}

/* Which of those that are over their triangle are too close to it, or have passed it. */
CLOTH_INLINE lanes_mask find_depth(const self_context *s, const self_block *b, lanes_mask over, self_touch *t) {
  find_quad(b, s->a->start, s->b->start, &t->start);
  const lanes side = side_at_start(t);
  const lanes inverse = lanes_divide(lanes_splat(1.0f), lanes_square_root(t->square));
  const lanes height = lanes_multiply(lanes_multiply(lanes3_dot(t->place.particle, t->normal), side), inverse);
  const lanes push = lanes_quantise(lanes_subtract(lanes_splat(s->thickness), height), WORK_ROUNDER);
  const lanes_mask touches = lanes_both(over, lanes_less(lanes_splat(0.0f), push));
  t->push = lanes_keep(touches, push);
  t->normal = lanes3_quantise(lanes3_scale(t->normal, lanes_multiply(side, inverse)), WORK_ROUNDER);
  return touches;
}

/* Weights in a contact: that of the particle is 1, and those of the corners are less than 0, or 0. */
typedef struct self_weights {
  lanes first, beside, end;
} self_weights;

CLOTH_INLINE self_weights find_weights(const self_touch *t) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes beside = corner_share(t->beside, t->square), end = corner_share(t->end, t->square);
  const lanes sum = lanes_maximum(lanes_add(beside, end), one);
  const lanes share_1 = lanes_divide(beside, sum), share_2 = lanes_divide(end, sum);
  self_weights w;
  w.first = lanes_negate(lanes_maximum(lanes_subtract(lanes_subtract(one, share_1), share_2), zero));
  w.beside = lanes_negate(share_1);
  w.end = lanes_negate(share_2);
  return w;
}

/* What a block of contacts changes: a particle moves by `move` times its share, its velocity changes by `change`. */
typedef struct self_response {
  float share[4][CLOTH_LANES];  /* of the particle, and the corners: first, beside the diagonal, at its end */
  float move[3][CLOTH_LANES];   /* [m] */
  float change[3][CLOTH_LANES]; /* [m/s] */
} self_response;

/* Moves a particle by its share of the response of a lane. */
CLOTH_REPEATED void move_particle(const self_body *b, int32_t i, float share, const self_response *r, int32_t lane) {
  if (!(share < 0.0f || share > 0.0f)) {
    return;
  }
  note_moved(b, i);
  b->place.x[i] += share * r->move[0][lane];
  b->place.y[i] += share * r->move[1][lane];
  b->place.z[i] += share * r->move[2][lane];
  b->velocity.x[i] += share * r->change[0][lane];
  b->velocity.y[i] += share * r->change[1][lane];
  b->velocity.z[i] += share * r->change[2][lane];
}

CLOTH_INLINE void lanes3_store_rows(float to[3][CLOTH_LANES], lanes3 a) {
  lanes_store(to[0], a.x);
  lanes_store(to[1], a.y);
  lanes_store(to[2], a.z);
}

/* The law of respond_to_contacts() (contact.h): the displacement m of the particle relative to what it touches has a
   part along the normal, of which min(push, -m . N) is stopped, and a slip, of which friction takes min(friction *
   stopped / |slip|, 1). Only what is stopped and the friction change velocities. Sets all of a response but shares. */
CLOTH_INLINE void respond_along(const self_context *s, lanes3 m, lanes3 normal, lanes push, self_response *r) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes approach = lanes_quantise(lanes3_dot(m, normal), WORK_ROUNDER);
  push = lanes_minimum(push, lanes_maximum(lanes_subtract(lanes_splat(s->way), approach), zero));
  const lanes stopped = lanes_minimum(push, lanes_maximum(lanes_negate(approach), zero));
  const lanes3 slip = lanes3_quantise(lanes3_subtract(m, lanes3_scale(normal, approach)), STATE_ROUNDER);
  const lanes length = lanes_maximum(lanes_square_root(lanes3_dot(slip, slip)), lanes_splat(STATE_QUANTUM));
  lanes grip = lanes_divide(lanes_multiply(lanes_splat(s->friction), stopped), length);
  grip = lanes_flush(lanes_minimum(grip, one));
  const lanes3 friction = lanes3_scale(slip, grip);
  const lanes3 move = lanes3_quantise(lanes3_subtract(lanes3_scale(normal, push), friction), WORK_ROUNDER);
  const lanes3 change = lanes3_quantise(lanes3_subtract(lanes3_scale(normal, stopped), friction), WORK_ROUNDER);
  lanes3_store_rows(r->move, move);
  lanes3_store_rows(r->change, lanes3_scale(change, lanes_splat(s->inverse_h)));
}

/* The response of a particle and the three corners of a triangle. Returns which of the candidates can be moved. */
CLOTH_INLINE lanes_mask respond_to_touches(const self_context *s, const self_block *b, lanes_mask touches,
                                           const self_touch *t, self_response *r) {
  const lanes one = lanes_splat(1.0f);
  const self_weights w = find_weights(t);
  const lanes3 across = lanes3_subtract(t->place.across, t->start.across);
  const lanes3 beside = lanes3_subtract(lanes3_select(t->second, t->place.below, t->place.right),
                                        lanes3_select(t->second, t->start.below, t->start.right));
  lanes3 m = lanes3_subtract(t->place.particle, t->start.particle);
  m = lanes3_add_scaled(lanes3_add_scaled(m, beside, w.beside), across, w.end);
  m = lanes3_quantise(m, STATE_ROUNDER);
  const float *of_cells = s->b->mobility;
  const lanes mobility = lanes_pick(s->a->mobility, b->particle);
  const lanes first = lanes_multiply(w.first, lanes_pick(of_cells, b->cell));
  const lanes beside_mobility =
      lanes_select(t->second, lanes_pick(of_cells + b->below, b->cell), lanes_pick(of_cells + b->next, b->right));
  const lanes second = lanes_multiply(w.beside, beside_mobility);
  const lanes third = lanes_multiply(w.end, lanes_pick(of_cells + b->next + b->below, b->right));
  lanes sum = lanes_add(mobility, lanes_multiply(w.first, first));
  sum = lanes_add(sum, lanes_multiply(w.beside, second));
  sum = lanes_add(sum, lanes_multiply(w.end, third));
  touches = lanes_both(touches, lanes_less(lanes_splat(1.0e-6f), sum));
  const lanes inverse = lanes_divide(one, lanes_select(touches, sum, one));
  lanes_store(r->share[0], lanes_multiply(mobility, inverse));
  lanes_store(r->share[1], lanes_multiply(first, inverse));
  lanes_store(r->share[2], lanes_multiply(second, inverse));
  lanes_store(r->share[3], lanes_multiply(third, inverse));
  respond_along(s, m, t->normal, t->push, r);
  return touches;
}

/* Candidates that touched in a pass, those of them that had passed a plane, and the batches that were looked at. */
typedef struct self_tally {
  int32_t touching, passed, batches;
  int32_t round_touching, round_batches;   /* those of spheres among them */
  int32_t edge_blocks, edges, edges_moved; /* blocks of pairs of edges, pairs that are close, and moved apart */
  int32_t moved;                           /* folds opened and triangles touched in a sweep */
  uint32_t over;                           /* blocks of these batches with a particle over its triangle */
} self_tally;

/* The particles of a lane of a block: the particle, and the corners of the triangle. */
CLOTH_INLINE void find_touching(const self_block *b, uint32_t second, int32_t lane, int32_t particle[4]) {
  particle[0] = b->particle[lane];
  particle[1] = b->cell[lane];
  particle[2] = second >> lane & 1u ? b->cell[lane] + b->below : b->right[lane] + b->next;
  particle[3] = b->right[lane] + b->next + b->below;
}

/* The mean of what a particle and the corners of a triangle do, by their masses; that of those that do not move, if
   there are such. */
typedef struct held_motion {
  cloth_vector displacement, velocity; /* [m], [m/s] */
} held_motion;

static held_motion mean_motion(const self_body *const body[4], const int32_t particle[4]) {
  held_motion m = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
  float sum = 0.0f;
  int is_pinned = 0;
  for (int32_t k = 0; k < 4; k++) {
    is_pinned |= !(body[k]->mobility[particle[k]] > 0.0f);
  }
  for (int32_t k = 0; k < 4; k++) {
    const self_body *b = body[k];
    const int32_t i = particle[k];
    const float mobility = b->mobility[i];
    if (is_pinned && mobility > 0.0f) {
      continue;
    }
    const float mass = is_pinned ? 1.0f : 1.0f / mobility;
    const cloth_vector moved = exact_difference(vector_load(b->place, i), vector_load(b->start, i));
    m.displacement = vector_add_scaled(m.displacement, moved, mass);
    m.velocity = vector_add_scaled(m.velocity, vector_load(b->velocity, i), mass);
    sum += mass;
  }
  m.displacement = vector_flush(vector_scale(m.displacement, 1.0f / sum), STATE_QUANTUM);
  m.velocity = vector_flush(vector_scale(m.velocity, 1.0f / sum), STATE_QUANTUM);
  return m;
}

/* Holds a particle and the corners of a triangle together. */
static void hold_together(const self_context *s, const int32_t particle[4]) {
  const self_body *const body[4] = {s->a, s->b, s->b, s->b};
  const held_motion m = mean_motion(body, particle);
  for (int32_t k = 0; k < 4; k++) {
    const self_body *b = body[k];
    const int32_t i = particle[k];
    if (b->mobility[i] > 0.0f) {
      vector_store(b->place, i, vector_add(vector_load(b->start, i), m.displacement));
      note_moved(b, i);
      vector_store(b->velocity, i, m.velocity);
    }
  }
}

/* What a pass over the candidates does. */
typedef enum self_pass { SELF_FIRST_SWEEP, SELF_LATER_SWEEP, SELF_HOLD } self_pass;

/* Moves the particles of the lanes `bits` apart. */
CLOTH_INLINE void move_touching(const self_context *s, const self_block *b, const self_response *r, uint32_t second,
                                uint32_t bits) {
  for (int32_t lane = 0; bits >> lane; lane++) {
    if (bits >> lane & 1u) {
      int32_t particle[4];
      find_touching(b, second, lane, particle);
      move_particle(s->a, particle[0], r->share[0][lane], r, lane);
      move_particle(s->b, particle[1], r->share[1][lane], r, lane);
      move_particle(s->b, particle[2], r->share[2][lane], r, lane);
      move_particle(s->b, particle[3], r->share[3][lane], r, lane);
    }
  }
}

/* Holds the particles of the lanes `bits` together. */
CLOTH_SEPARATE void hold_touching(const self_context *s, const self_block *b, uint32_t second, uint32_t bits) {
  for (int32_t lane = 0; bits >> lane; lane++) {
    if (bits >> lane & 1u) {
      int32_t particle[4];
      find_touching(b, second, lane, particle);
      hold_together(s, particle);
    }
  }
}

/* How many lanes are chosen. */
CLOTH_INLINE int32_t count_bits(uint32_t bits) {
  int32_t count = 0;
  for (; bits; bits &= bits - 1u) {
    count++;
  }
  return count;
}

/* Contacts of the candidates of a block. Returns 1 if one of them is over its triangle. */
CLOTH_INLINE int collide_candidates(const self_context *s, const self_block *b, self_pass pass, self_tally *tally) {
  self_touch t;
  self_response r;
  const lanes_mask over = find_over(s, b, &t);
  if (!lanes_any(over)) {
    return 0;
  }
  tally->over++;
  lanes_mask touches = find_depth(s, b, over, &t);
  if (!lanes_any(touches)) {
    return 1;
  }
  const lanes_mask passed = lanes_less(lanes_splat(s->thickness), t.push);
  if (pass == SELF_HOLD) {
    touches = lanes_both(touches, passed);
    hold_touching(s, b, lanes_bits(t.second), lanes_bits(touches));
  } else {
    touches = respond_to_touches(s, b, touches, &t, &r);
    move_touching(s, b, &r, lanes_bits(t.second), lanes_bits(touches));
  }
  tally->touching += count_bits(lanes_bits(touches));
  tally->passed += count_bits(lanes_bits(lanes_both(touches, passed)));
  return 1;
}

/* Contacts of a batch of candidates. Returns 1 if one of them is over its triangle. */
CLOTH_INLINE int collide_batch(const self_context *s, const self_batch *batch, self_pass pass, self_tally *tally) {
  const int32_t count = candidates_of(s->b, 0, batch);
  int is_near = 0;
  for (int32_t first = 0; first < count; first += CLOTH_LANES) {
    self_block b;
    find_block(s, batch, first, count, &b);
    is_near |= collide_candidates(s, &b, pass, tally);
  }
  return is_near;
}

/* Contacts of a block of pairs of particles, which are kept the thickness apart along their connection, or along that
   at the start of the substep if it has turned round since. Returns 1 if two of them are closer. */
CLOTH_INLINE int collide_spheres(const self_context *s, const self_block *b, self_tally *tally) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f), thickness = lanes_splat(s->thickness);
  const lanes3 d =
      lanes3_exact_difference(lanes3_pick(s->a->place, b->particle, 0), lanes3_pick(s->b->place, b->cell, 0));
  const lanes_mask close = lanes_both(b->used, lanes_less(lanes3_dot(d, d), lanes_multiply(thickness, thickness)));
  if (!lanes_any(close)) {
    return 0;
  }
  const lanes3 before =
      lanes3_exact_difference(lanes3_pick(s->a->start, b->particle, 0), lanes3_pick(s->b->start, b->cell, 0));
  const lanes3 way = lanes3_select(lanes_less(lanes3_dot(d, before), zero), before, d);
  const lanes square = lanes3_dot(way, way);
  lanes_mask touches = lanes_both(close, lanes_less(lanes_splat(SPHERE_LEAST_SQUARE), square));
  const lanes inverse = lanes_divide(one, lanes_square_root(lanes_select(touches, square, one)));
  const lanes3 normal = lanes3_quantise(lanes3_scale(way, inverse), WORK_ROUNDER);
  const lanes push = lanes_quantise(lanes_subtract(thickness, lanes3_dot(d, normal)), WORK_ROUNDER);
  const lanes first = lanes_pick(s->a->mobility, b->particle), second = lanes_pick(s->b->mobility, b->cell);
  const lanes sum = lanes_add(first, second);
  touches = lanes_both(lanes_both(touches, lanes_less(zero, push)), lanes_less(lanes_splat(1.0e-6f), sum));
  const lanes share = lanes_divide(one, lanes_select(touches, sum, one));
  self_response r;
  lanes_store(r.share[0], lanes_multiply(first, share));
  lanes_store(r.share[1], lanes_negate(lanes_multiply(second, share)));
  respond_along(s, lanes3_subtract(d, before), normal, lanes_keep(touches, push), &r);
  const uint32_t bits = lanes_bits(touches);
  for (int32_t lane = 0; bits >> lane; lane++) {
    if (bits >> lane & 1u) {
      move_particle(s->a, b->particle[lane], r.share[0][lane], &r, lane);
      move_particle(s->b, b->cell[lane], r.share[1][lane], &r, lane);
    }
  }
  tally->touching += count_bits(bits);
  tally->round_touching += count_bits(bits);
  return 1;
}

/* Contacts of a batch of pairs of particles. Returns 1 if two of them are too close. */
CLOTH_INLINE int collide_round_batch(const self_context *s, const self_batch *batch, self_tally *tally) {
  const int32_t count = candidates_of(s->b, 1, batch);
  int is_near = 0;
  for (int32_t first = 0; first < count; first += CLOTH_LANES) {
    const self_block b = {
        .particle = batch->particle + first, .cell = batch->cell + first, .used = lanes_first(count - first)};
    is_near |= collide_spheres(s, &b, tally);
  }
  tally->round_batches++;
  return is_near;
}

/* Largest speed at which contact moves cloth apart [m/s], and with seams edges out of triangles. Contact moves places,
   to which springs answer with velocities: without the first of these bounds a sheet of 28 x 28 that falls upright onto
   the floor in 4 substeps stretches to 2.7 times its length and passes through itself, with 2 m/s, too; a closing seam,
   which pulls together what contact moves apart, throws a sheet at 24 to 42 m/s. */
#define SELF_PART_SPEED 1.0f
#define SELF_CONTOUR_SPEED 2.0f

/* The same for edges that have been in triangles for SELF_OLDEST steps [m/s]. What has not come apart by then may never
   do so, as at a seam between pins. Pulled at with the speed above it shakes: trousers that begin so, at 1.8 m/s. */
#define SELF_LASTING_SPEED 0.05f

static self_context self_context_of(const self_group *g, uint32_t tag, self_pass pass, float inverse_h) {
  const int32_t first = (int32_t)(tag >> 8), second = (int32_t)(tag & 255u);
  const self_body *a = &g->bodies[first], *b = &g->bodies[second];
  const self_pair pair = pair_between(g, first, second);
  const self_context s = {.a = a,
                          .b = b,
                          .thickness = pair.thickness,
                          .friction = pair.friction,
                          .inverse_h = inverse_h,
                          .least_square = b->least_square,
                          .way = SELF_PART_SPEED / inverse_h,
                          .margin = pass == SELF_HOLD ? SELF_HOLD_MARGIN : SELF_MARGIN,
                          .is_round = pair.is_round};
  return s;
}

/* A pass over the candidates, forwards or backwards: over all in the first sweep of a substep, later over the batches
   in which that has found something near. */
CLOTH_HOT CLOTH_SEPARATE self_tally pass_candidates(const self_group *g, self_pass pass, float inverse_h,
                                                    int is_backward) {
  const int32_t batches = g->found->batches;
  self_tally tally = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  uint32_t tag = g->tags && batches > 0 ? g->tags[is_backward ? batches - 1 : 0] : 0u;
  self_context s = self_context_of(g, tag, pass, inverse_h);
  for (int32_t n = 0; n < batches; n++) {
    const int32_t batch = is_backward ? batches - 1 - n : n;
    if (pass != SELF_FIRST_SWEEP && !g->near[batch]) {
      continue;
    }
    if (g->tags && g->tags[batch] != tag) {
      tag = g->tags[batch];
      s = self_context_of(g, tag, pass, inverse_h);
    }
    const int32_t touching = tally.touching;
    int is_near = 0;
    if (WITH_SELF_SPHERES && s.is_round) {
      is_near = pass != SELF_HOLD && collide_round_batch(&s, &g->batches[batch], &tally);
    } else if (WITH_SELF_TRIANGLES) {
      is_near = collide_batch(&s, &g->batches[batch], pass, &tally);
    }
    if (g->touching && pass != SELF_HOLD) {
      count_both(g->touching, tag, tally.touching - touching);
    }
    g->near[batch] = pass == SELF_FIRST_SWEEP ? (uint8_t)is_near : 1;
    tally.batches++;
  }
  return tally;
}

/* Contacts of a block of pairs of edges, of those that are close before one of them is moved. Returns 1 if there are
   any. */
CLOTH_SEPARATE int part_edge_block(const self_group *g, int32_t block, float inverse_h, self_tally *tally) {
  const uint32_t tag = g->tags ? g->tags[block] : 0u;
  const self_pair law = pair_between(g, (int32_t)(tag >> 8), (int32_t)(tag & 255u));
  const self_body *a = &g->bodies[tag >> 8], *b = &g->bodies[tag & 255u];
  const self_batch *batch = &g->batches[block];
  const int32_t touching = tally->edges_moved;
  uint32_t close = 0, used = 0;
  for (int32_t n = 0; n < SELF_BATCH; n++) {
    used |= (uint32_t)(batch[0].particle[n] != batch[0].cell[n]) << n;
  }
  for (int32_t first = 0; first < SELF_BATCH; first += CLOTH_LANES) {
    close |= find_close_edges(a, b, batch, first, law.thickness);
  }
  close &= used;
  for (uint32_t left = close; left; left &= left - 1u) {
    const int32_t n = first_bit(left);
    const edge_pair p = {{a, a, b, b},
                         {batch[0].particle[n], batch[0].cell[n], batch[1].particle[n], batch[1].cell[n]}};
    const int what = part_edges(&p, &law, inverse_h);
    tally->edges++;
    tally->edges_moved += what > 0;
    tally->passed += what > 1;
  }
  if (g->touching) {
    count_both(g->touching, tag, tally->edges_moved - touching);
  }
  return close != 0;
}

/* A sweep over the pairs of edges, forwards or backwards: over all in the first sweep of a substep, later over the
   blocks in which that has found something close. */
static void pass_edges(const self_group *g, self_pass pass, float inverse_h, int is_backward, self_tally *tally) {
  const int32_t blocks = g->found->edge_blocks;
  for (int32_t n = 0; n < blocks; n++) {
    const int32_t block = edge_block(g, is_backward ? blocks - 1 - n : n);
    if (pass == SELF_FIRST_SWEEP || g->near[block]) {
      const int is_close = part_edge_block(g, block, inverse_h, tally);
      g->near[block] = pass == SELF_FIRST_SWEEP ? (uint8_t)is_close : 1;
      tally->edge_blocks++;
    }
  }
}

/* Charges a pass over candidates. */
static void charge_pass(const cloth *c, const self_tally *tally) {
  add_varying_work(c, (uint32_t)(tally->batches - tally->round_batches) * SELF_BATCH, COST_SELF_CANDIDATE);
  add_varying_work(c, tally->over, COST_SELF_NEAR);
  add_varying_work(c, (uint32_t)(tally->touching - tally->round_touching), COST_SELF_TOUCH);
  add_varying_work(c, (uint32_t)tally->edge_blocks * SELF_BATCH, COST_RIM_PAIR);
  add_varying_work(c, (uint32_t)tally->edges, COST_RIM_NEAR);
  add_varying_work(c, (uint32_t)tally->edges_moved, COST_RIM_TOUCH);
  add_varying_work(c, (uint32_t)tally->round_batches * SELF_BATCH, COST_SPHERE_CANDIDATE);
  add_varying_work(c, (uint32_t)tally->round_touching, COST_SPHERE_TOUCH);
}

/* Sweeps of a substep, where nothing has passed through; below SELF_MANY_SUBSTEPS of a step, where more happens in
   each, there are as many as there may be. */
#define SELF_USUAL_SWEEPS 2
#define SELF_MANY_SUBSTEPS 8

/* Opens the folds of all cloths of a group, and sweeps over the candidates. */
static self_tally sweep_group(const self_group *g, self_pass pass, float inverse_h, int is_backward) {
  int32_t opened = 0;
  for (int32_t n = 0; n < g->count && WITH_SELF_TRIANGLES; n++) {
    const self_body *b = &g->bodies[n];
    const self_pair pair = pair_between(g, n, n);
    if (!(pair.thickness > 0.0f) || pair.is_round) {
      continue;
    }
    const fold_tally folds = open_folds(g, n, pair, inverse_h);
    add_varying_work(b->c, (uint32_t)b->count, COST_SELF_FOLD);
    add_varying_work(b->c, (uint32_t)folds.noted, COST_SELF_NOTED);
    add_varying_work(b->c, (uint32_t)folds.looked_at, COST_SELF_LOOK);
    add_varying_work(b->c, (uint32_t)folds.crossed, COST_RIM_NEAR);
    add_varying_work(b->c, (uint32_t)folds.opened, COST_SELF_OPEN);
    add_varying_work(b->c, (uint32_t)folds.parted, COST_RIM_TOUCH);
    opened += folds.opened + folds.parted;
  }
  self_tally tally = pass_candidates(g, pass, inverse_h, is_backward);
  if (WITH_SELF_TRIANGLES) {
    pass_edges(g, pass, inverse_h, is_backward, &tally);
  }
  tally.moved = opened + tally.touching + tally.edges_moved;
  return tally;
}

/* The contour step of the edges that pass through triangles, in a part of a substep of h seconds. */
static void shorten_contours(const self_group *g, float h) {
  const int32_t has_seams = g->sewn || g->found->opened;
  const float most[2] = {has_seams ? SELF_CONTOUR_SPEED * h : CLOTH_POSITION_LIMIT,
                         has_seams ? SELF_LASTING_SPEED * h : CLOTH_POSITION_LIMIT};
  for (int32_t n = 0; n < g->found->intersections && WITH_SELF_TRIANGLES; n++) {
    const self_intersection *x = &g->intersections[n];
    shorten_contour(&g->bodies[number_body(x->edge)], &g->bodies[number_body(x->triangle)], x, most);
  }
  add_varying_work(g->bodies[0].c, (uint32_t)g->found->intersections, COST_SELF_CONTOUR);
}

/* Contact of a group after the solve of a part of a substep. Beyond the usual number there are more sweeps while the
   last one has found particles that had passed through, as moving one moves others; what the last one still finds is
   held. Sweeps after the first are refinements, and there are none after one that has moved nothing. */
CLOTH_SEPARATE void collide_group(const self_group *g, const step_plan *plan) {
  const cloth *first = g->bodies[0].c;
  const float inverse_h = plan->terms.inverse_h;
  const int32_t usual = plan->substeps < SELF_MANY_SUBSTEPS ? SELF_SWEEPS : SELF_USUAL_SWEEPS;
  self_tally tally = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (int32_t n = 0; n < g->count; n++) {
    fill_zero(g->bodies[n].moved, (size_t)g->bodies[n].count);
    add_varying_work(g->bodies[n].c, (uint32_t)g->bodies[n].count, COST_SELF_STATE);
  }
  shorten_contours(g, plan->terms.h);
  for (int32_t sweep = 0; sweep < SELF_SWEEPS && (sweep < usual || tally.passed > 0); sweep++) {
    if (sweep > 0 && (tally.moved == 0 || !may_refine(first))) {
      break;
    }
    if (g->touching) {
      fill_zero(g->touching, (size_t)g->count * sizeof(int32_t));
    }
    tally = sweep_group(g, sweep > 0 ? SELF_LATER_SWEEP : SELF_FIRST_SWEEP, inverse_h, (plan->index + sweep) & 1);
    charge_pass(first, &tally);
  }
  g->found->statistics.contacts = tally.touching + tally.edges_moved;
  for (int32_t pass = 0; pass < SELF_HOLDS && tally.passed > 0; pass++) {
    tally = pass_candidates(g, SELF_HOLD, inverse_h, pass & 1);
    charge_pass(first, &tally);
  }
  for (int32_t n = 0; n < g->count; n++) {
    if (!g->bodies[n].is_still) {
      accept_moved(&g->bodies[n]);
    }
  }
}

/* Longest part of a substep where cloth may touch cloth [s]. Contact after a solve stops only what moves in a part:
   what hangs on a contact stretches the cloth beside it, with the square of the part. A towel of 32 x 32 that lies down
   folded in two parts of 1/120 s explodes; a tube of 24 x 24 that is wrung passes through itself with 1/480 s. How far
   contact gives way depends on the part, so all are alike, whether cloth is near or not: with short ones only where it
   is near, cloth that hangs over a line never comes to rest. */
#define SELF_LONGEST_PART (1.0f / 600.0f)

/* The longest part of a substep, as a share of it, that contact allows: all, half or a quarter of it. */
static float longest_part(const step_plan *plan, float shortest) {
  float length = 1.0f;
  while (length > shortest && length * plan->h > SELF_LONGEST_PART * (1.0f + EQUAL_SHARE)) {
    length *= 0.5f;
  }
  return length;
}

/* Candidates, before a substep of a cloth alone. Returns the longest part of it, as a share. */
CLOTH_SEPARATE float gather_with_self(const cloth *c, const step_plan *plan, float shortest) {
  float longest = 1.0f;
  if (feels_itself(c)) {
    self_body body;
    const self_group g = self_group_of(c, &body);
    gather_if_due(&g, plan, self_settings_of(c)->gathers, self_settings_of(c)->untangle);
    longest = longest_part(plan, shortest);
  }
  return longest;
}

/* Contact of a cloth with itself after the solve of a part of a substep. */
CLOTH_SEPARATE void collide_with_self(const cloth *c, const step_plan *plan) {
  if (feels_itself(c)) {
    self_body body;
    const self_group g = self_group_of(c, &body);
    see_solved(&body, 1.0f);
    collide_group(&g, plan);
  }
}

#else

static float gather_with_self(const cloth *c, const step_plan *plan, float shortest) {
  (void)c;
  (void)plan;
  (void)shortest;
  return 1.0f;
}

static void collide_with_self(const cloth *c, const step_plan *plan) {
  (void)c;
  (void)plan;
}

#endif
