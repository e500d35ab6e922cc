#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
#include "self_cull.h"
#include "self_folds.h"
#include "self_gather.h"
#include "self_tree.h"
#include "self_untangle.h"
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
 * In: positions at the start of the substep, predicted positions, velocities, mobilities, batches. Out: predicted
 * positions, velocities, the velocity history of what was moved. Scratch: none.
 */

/* How far outside a triangle a particle still touches it, and is still held by it, as a share of its height. */
#define SELF_MARGIN 0.05f
#define SELF_HOLD_MARGIN 0.2f

/* Loop invariants of contact between the particles of one cloth and the cells of another, or the same. */
typedef struct self_context {
  const self_body *a, *b;
  float thickness, friction, inverse_h, least_square, margin;
} self_context;

/* A block of candidates: where their numbers are, and where they are. */
typedef struct self_block {
  const uint16_t *particle, *cell, *right; /* of the candidates; `right` the second corner of the cell, less offset[1] */
  uint16_t round_tube[CLOTH_LANES];        /* second corners of the cells of a tube */
  int32_t offset[4];                       /* of the corners, from `cell` for the first and last, else from `right` */
  lanes_mask used;                         /* where there is a candidate */
  lanes3 place, start;                     /* of the particle */
  lanes3 at[4];                            /* places of the corners */
} self_block;

/* The block of candidates of a batch from `first` on, of `count` in all. */
CLOTH_INLINE void find_block(const self_context *s, const self_batch *batch, int32_t first, int32_t count,
                             self_block *b) {
  const int32_t columns = s->b->columns, right = !s->b->is_wrapped;
  b->particle = batch->particle + first;
  b->cell = b->right = batch->cell + first;
  if (s->b->is_wrapped) {
    find_second_corners(s->b, b->cell, b->round_tube);
    b->right = b->round_tube;
  }
  b->offset[0] = 0;
  b->offset[1] = right;
  b->offset[2] = right + columns;
  b->offset[3] = columns;
  b->used = lanes_first(count - first);
}

/* A quantity of a corner of the cells. */
CLOTH_INLINE const uint16_t *corner_numbers(const self_block *b, int32_t corner) {
  return corner == 0 || corner == 3 ? b->cell : b->right;
}

CLOTH_INLINE lanes3 pick_corner(const self_block *b, vector_array from, int32_t corner) {
  return lanes3_pick(from, corner_numbers(b, corner), b->offset[corner]);
}

CLOTH_INLINE void load_places(const self_context *s, self_block *b) {
  b->place = lanes3_pick(s->a->place, b->particle, 0);
  b->start = lanes3_pick(s->a->start, b->particle, 0);
  for (int32_t k = 0; k < 4; k++) {
    b->at[k] = pick_corner(b, s->b->place, k);
  }
}

/* How far two intervals on an axis are apart, less than 0 if they are not: the particle's and that of four corners. */
CLOTH_INLINE lanes axis_gap(lanes p, lanes q, lanes a, lanes b, lanes c, lanes d) {
  const lanes low = lanes_minimum(lanes_minimum(a, b), lanes_minimum(c, d));
  const lanes high = lanes_maximum(lanes_maximum(a, b), lanes_maximum(c, d));
  return lanes_maximum(lanes_subtract(lanes_minimum(p, q), high), lanes_subtract(low, lanes_maximum(p, q)));
}

/* Which candidates of a block may touch: on no axis is the box of the particle's way farther than the thickness from
   the box of the cell. */
CLOTH_INLINE lanes_mask is_block_near(const self_context *s, const self_block *b) {
  const lanes3 *c = b->at;
  lanes gap = axis_gap(b->place.x, b->start.x, c[0].x, c[1].x, c[2].x, c[3].x);
  gap = lanes_maximum(gap, axis_gap(b->place.y, b->start.y, c[0].y, c[1].y, c[2].y, c[3].y));
  gap = lanes_maximum(gap, axis_gap(b->place.z, b->start.z, c[0].z, c[1].z, c[2].z, c[3].z));
  return lanes_both(b->used, lanes_less(gap, lanes_splat(s->thickness)));
}

/* Candidates of a block that touch a triangle of their cell. Positions are relative to the first corner. */
typedef struct self_touch {
  lanes3 normal;             /* of unit length, to the side of the particle */
  lanes push;                /* how far to move them apart [m] */
  lanes weight[4];           /* of the corners; that of the particle is 1, and theirs are less than 0, or 0 */
  lanes3 place[4], start[4]; /* of the particle, then of the corners after the first */
} self_touch;

/* Share of a triangle's corner in the point of contact: 0 if it is small, negative to 0. */
CLOTH_INLINE lanes corner_share(lanes area, lanes square) {
  const lanes_mask is_large = lanes_less(lanes_multiply(square, lanes_splat(SELF_LEAST_WEIGHT)), area);
  return lanes_divide(lanes_keep(is_large, area), square);
}

/* Positions of the particle and of the corners after the first, relative to the first, in multiples of 2^-30 m. */
CLOTH_INLINE void find_relative(lanes3 particle, const lanes3 corner[4], lanes3 relative[4]) {
  relative[0] = lanes3_exact_difference(particle, corner[0]);
  for (int32_t k = 1; k < 4; k++) {
    relative[k] = lanes3_exact_difference(corner[k], corner[0]);
  }
}

/* Whether the substep began with the particles on the side to which the normals of their triangles point: 1 or -1.
   `second`: which of them are over the second triangle of their cell. */
CLOTH_INLINE lanes side_at_start(const self_context *s, const self_block *b, lanes_mask second, self_touch *t) {
  lanes3 corner[4];
  for (int32_t k = 0; k < 4; k++) {
    corner[k] = pick_corner(b, s->b->start, k);
  }
  find_relative(b->start, corner, t->start);
  const lanes3 *q = t->start;
  const lanes3 normal = lanes3_cross(lanes3_select(second, q[2], q[1]), lanes3_select(second, q[3], q[2]));
  return lanes_sign(lanes3_dot(q[0], normal));
}

/* Weights of the corners from the areas of the triangle, over `square`, that belong to the corner beside the diagonal
   and to the one at its end. */
CLOTH_INLINE void find_weights(lanes_mask touches, lanes_mask second, lanes beside, lanes end, lanes square,
                               self_touch *t) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes share_1 = corner_share(lanes_keep(touches, beside), square);
  lanes share_2 = corner_share(lanes_keep(touches, end), square);
  const lanes sum = lanes_maximum(lanes_add(share_1, share_2), one);
  share_1 = lanes_negate(lanes_divide(share_1, sum));
  share_2 = lanes_divide(share_2, sum);
  t->weight[0] = lanes_negate(lanes_maximum(lanes_subtract(lanes_add(one, share_1), share_2), zero));
  t->weight[1] = lanes_drop(second, share_1);
  t->weight[2] = lanes_negate(share_2);
  t->weight[3] = lanes_keep(second, share_1);
}

/* Finds which of the candidates `near` touch the triangle of their cell that is on their side of its diagonal. */
CLOTH_INLINE lanes_mask find_touches(const self_context *s, const self_block *b, lanes_mask near, self_touch *t) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 *q = t->place;
  find_relative(b->place, b->at, t->place);
  const lanes3 first_normal = lanes3_cross(q[1], q[2]), second_normal = lanes3_cross(q[2], q[3]);
  const lanes3 across = lanes3_cross(q[2], q[0]);
  const lanes_mask second = lanes_less(zero, lanes3_dot(across, lanes3_add(first_normal, second_normal)));
  const lanes3 normal = lanes3_select(second, second_normal, first_normal);
  const lanes square = lanes3_dot(normal, normal);
  const lanes sign = lanes_select(second, one, lanes_splat(-1.0f));
  const lanes beside = lanes_multiply(lanes3_dot(across, normal), sign);
  const lanes end = lanes_multiply(lanes3_dot(lanes3_cross(q[0], lanes3_select(second, q[3], q[1])), normal), sign);
  const lanes margin = lanes_multiply(square, lanes_splat(negate(s->margin)));
  lanes_mask touches = lanes_both(near, lanes_less(lanes_splat(s->least_square), square));
  touches = lanes_both(touches, lanes_both(lanes_less(margin, beside), lanes_less(margin, end)));
  touches = lanes_both(touches, lanes_less(lanes_add(lanes_add(beside, end), margin), square));
  if (!lanes_any(touches)) {
    return touches;
  }
  const lanes side = side_at_start(s, b, second, t);
  const lanes safe = lanes_select(touches, square, one);
  const lanes inverse = lanes_divide(one, lanes_square_root(safe));
  const lanes height = lanes_multiply(lanes_multiply(lanes3_dot(q[0], normal), side), inverse);
  const lanes push = lanes_quantise(lanes_subtract(lanes_splat(s->thickness), height), WORK_ROUNDER);
  touches = lanes_both(touches, lanes_less(zero, push));
  if (!lanes_any(touches)) {
    return touches;
  }
  t->push = lanes_keep(touches, push);
  t->normal = lanes3_quantise(lanes3_scale(normal, lanes_multiply(side, inverse)), WORK_ROUNDER);
  find_weights(touches, second, beside, end, safe, t);
  return touches;
}

/* What a block of contacts changes: a particle moves by `move` times its share, its velocity changes by `change`. */
typedef struct self_response {
  float share[5][CLOTH_LANES];  /* of the particle and the corners */
  float move[3][CLOTH_LANES];   /* [m] */
  float change[3][CLOTH_LANES]; /* [m/s] */
} self_response;

/* Moves a particle by its share of the response of a lane. */
CLOTH_INLINE void move_particle(const self_body *b, int32_t i, const self_response *r, int32_t role, int32_t lane) {
  const float share = r->share[role][lane];
  if (!(share < 0.0f || share > 0.0f)) {
    return;
  }
  b->place.x[i] += share * r->move[0][lane];
  b->place.y[i] += share * r->move[1][lane];
  b->place.z[i] += share * r->move[2][lane];
  b->velocity.x[i] += share * r->change[0][lane];
  b->velocity.y[i] += share * r->change[1][lane];
  b->velocity.z[i] += share * r->change[2][lane];
  b->moved[i] = 1;
}

CLOTH_INLINE void lanes3_store_rows(float to[3][CLOTH_LANES], lanes3 a) {
  lanes_store(to[0], a.x);
  lanes_store(to[1], a.y);
  lanes_store(to[2], a.z);
}

/*
 * The law of respond_to_contacts() (contact.h) for four particles: the relative displacement m of the particle and the
 * point that it touches has a part along the normal, of which min(push, -m . N) is stopped, and a slip, of which
 * friction takes min(friction * stopped / |slip|, 1). Only what is stopped and the friction change velocities. Returns
 * which of the candidates can be moved.
 */
CLOTH_INLINE lanes_mask respond_to_touches(const self_context *s, const self_block *b, lanes_mask touches,
                                           const self_touch *t, self_response *r) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes mobility[5], sum;
  lanes3 m = lanes3_subtract(t->place[0], t->start[0]);
  mobility[0] = sum = lanes_pick(s->a->mobility, b->particle);
  for (int32_t k = 0; k < 4; k++) {
    const lanes weight = t->weight[k];
    if (k > 0) {
      m = lanes3_add_scaled(m, lanes3_subtract(t->place[k], t->start[k]), weight);
    }
    mobility[k + 1] = lanes_multiply(weight, lanes_pick(s->b->mobility + b->offset[k], corner_numbers(b, k)));
    sum = lanes_add(sum, lanes_multiply(weight, mobility[k + 1]));
  }
  m = lanes3_quantise(m, STATE_ROUNDER);
  touches = lanes_both(touches, lanes_less(lanes_splat(1.0e-6f), sum));
  const lanes inverse = lanes_divide(one, lanes_select(touches, sum, one));
  const lanes approach = lanes_quantise(lanes3_dot(m, t->normal), WORK_ROUNDER);
  const lanes stopped = lanes_minimum(t->push, lanes_maximum(lanes_negate(approach), zero));
  const lanes3 slip = lanes3_quantise(lanes3_subtract(m, lanes3_scale(t->normal, approach)), STATE_ROUNDER);
  const lanes length = lanes_maximum(lanes_square_root(lanes3_dot(slip, slip)), lanes_splat(STATE_QUANTUM));
  lanes grip = lanes_divide(lanes_multiply(lanes_splat(s->friction), stopped), length);
  grip = lanes_flush(lanes_minimum(grip, one));
  const lanes3 friction = lanes3_scale(slip, grip);
  const lanes3 move = lanes3_quantise(lanes3_subtract(lanes3_scale(t->normal, t->push), friction), WORK_ROUNDER);
  const lanes3 change = lanes3_quantise(lanes3_subtract(lanes3_scale(t->normal, stopped), friction), WORK_ROUNDER);
  for (int32_t k = 0; k < 5; k++) {
    lanes_store(r->share[k], lanes_multiply(mobility[k], inverse));
  }
  lanes3_store_rows(r->move, move);
  lanes3_store_rows(r->change, lanes3_scale(change, lanes_splat(s->inverse_h)));
  return touches;
}

/* Candidates that touched in a pass, those of them that had passed a plane, and the batches that were looked at. */
typedef struct self_tally {
  int32_t touching, passed, batches;
  int32_t moved; /* folds opened and triangles touched in a sweep */
  uint32_t near; /* candidates whose boxes meet, of these batches */
} self_tally;

/* Contacts of the candidates of a block that are near their cells. */
CLOTH_INLINE void collide_candidates(const self_context *s, const self_block *b, lanes_mask near, self_tally *tally) {
  self_touch t;
  self_response r;
  lanes_mask touches = find_touches(s, b, near, &t);
  if (!lanes_any(touches)) {
    return;
  }
  touches = respond_to_touches(s, b, touches, &t, &r);
  const uint32_t bits = lanes_bits(touches);
  const uint32_t passed = lanes_bits(lanes_both(touches, lanes_less(lanes_splat(s->thickness), t.push)));
  for (int32_t lane = 0; bits >> lane; lane++) {
    if (bits >> lane & 1u) {
      move_particle(s->a, b->particle[lane], &r, 0, lane);
      for (int32_t k = 0; k < 4; k++) {
        move_particle(s->b, corner_numbers(b, k)[lane] + b->offset[k], &r, k + 1, lane);
      }
      tally->touching++;
      tally->passed += (int32_t)(passed >> lane & 1u);
    }
  }
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
      vector_store(b->velocity, i, m.velocity);
      b->moved[i] = 1;
    }
  }
}

/* Holds those of a block of candidates that have passed the triangle of their cell that is on their side of its
   diagonal. */
CLOTH_SEPARATE void hold_candidates(const self_context *s, const self_block *b, lanes_mask near, self_tally *tally) {
  self_touch t;
  lanes_mask touches = find_touches(s, b, near, &t);
  if (!lanes_any(touches)) {
    return;
  }
  const lanes_mask passed = lanes_both(touches, lanes_less(lanes_splat(s->thickness), t.push));
  const uint32_t bits = lanes_bits(passed), second = lanes_bits(lanes_both(passed, lanes_less(t.weight[3], lanes_splat(0.0f))));
  for (int32_t lane = 0; bits >> lane; lane++) {
    if (bits >> lane & 1u) {
      const int32_t cell = b->cell[lane], right = b->right[lane];
      const int32_t is_second = (int32_t)(second >> lane & 1u);
      const int32_t particle[4] = {b->particle[lane], cell, right + b->offset[2],
                                   is_second ? cell + b->offset[3] : right + b->offset[1]};
      hold_together(s, particle);
      tally->touching++;
      tally->passed++;
    }
  }
}

/* What a pass over the candidates does. */
typedef enum self_pass { SELF_FIRST_SWEEP, SELF_LATER_SWEEP, SELF_HOLD } self_pass;

/* Contacts of a batch of candidates. Returns 1 if one of them is near. */
CLOTH_INLINE int collide_batch(const self_context *s, const self_batch *batch, self_pass pass, self_tally *tally) {
  const int32_t count = candidates_of(s->b, batch);
  int is_near = 0;
  for (int32_t first = 0; first < count; first += CLOTH_LANES) {
    self_block b;
    find_block(s, batch, first, count, &b);
    load_places(s, &b);
    const lanes_mask near = is_block_near(s, &b);
    if (!lanes_any(near)) {
      continue;
    }
    is_near = 1;
    tally->near += lanes_count(lanes_keep(near, lanes_splat(1.0f)));
    if (pass == SELF_HOLD) {
      hold_candidates(s, &b, near, tally);
    } else {
      collide_candidates(s, &b, near, tally);
    }
  }
  return is_near;
}

static self_context self_context_of(const self_group *g, uint32_t tag, self_pass pass, float inverse_h) {
  const int32_t first = (int32_t)(tag >> 8), second = (int32_t)(tag & 255u);
  const self_body *a = &g->bodies[first], *b = &g->bodies[second];
  const self_context s = {.a = a,
                          .b = b,
                          .thickness = thickness_between(g, first, second),
                          .friction = self_settings_of(a->c)->friction,
                          .inverse_h = inverse_h,
                          .least_square = b->least_square,
                          .margin = pass == SELF_HOLD ? SELF_HOLD_MARGIN : SELF_MARGIN};
  return s;
}

/* A pass over the candidates, forwards or backwards: over all in the first sweep of a substep, later over the batches
   in which that has found something near. */
CLOTH_HOT CLOTH_SEPARATE self_tally pass_candidates(const self_group *g, self_pass pass, float inverse_h,
                                                    int is_backward) {
  const int32_t batches = g->found->batches;
  self_tally tally = {0, 0, 0, 0, 0};
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
    const int is_near = collide_batch(&s, &g->batches[batch], pass, &tally);
    g->near[batch] = pass == SELF_FIRST_SWEEP ? (uint8_t)is_near : 1;
    tally.batches++;
  }
  return tally;
}

/* Charges a pass over candidates. */
static void charge_pass(const cloth *c, const self_tally *tally) {
  add_varying_work(c, (uint32_t)tally->batches * SELF_BATCH, COST_SELF_CANDIDATE);
  add_varying_work(c, tally->near, COST_SELF_NEAR);
  add_varying_work(c, (uint32_t)tally->touching, COST_SELF_TOUCH);
}

/* Sweeps of a substep, where nothing has passed through; below SELF_MANY_SUBSTEPS of a step, where more happens in
   each, there are as many as there may be. */
#define SELF_USUAL_SWEEPS 2
#define SELF_MANY_SUBSTEPS 8

/* Opens the folds of all cloths of a group, and sweeps over the candidates. */
static self_tally sweep_group(const self_group *g, self_pass pass, float inverse_h, int is_backward) {
  int32_t opened = 0;
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    const fold_tally folds = open_folds(b, thickness_between(g, n, n), inverse_h);
    add_varying_work(b->c, (uint32_t)b->count, COST_SELF_FOLD);
    add_varying_work(b->c, (uint32_t)folds.looked_at, COST_SELF_LOOK);
    add_varying_work(b->c, (uint32_t)folds.opened, COST_SELF_OPEN);
    opened += folds.opened;
  }
  self_tally tally = pass_candidates(g, pass, inverse_h, is_backward);
  tally.moved = opened + tally.touching;
  return tally;
}

/* Contact of a group in substep `index`, before contact with colliders. Beyond the usual number there are more sweeps
   while the last one has found particles that had passed through, as moving one moves others; what the last one still
   finds is held. Sweeps after the first are refinements, and there are none after one that has moved nothing. */
static void collide_group(const self_group *g, const step_plan *plan, int32_t index) {
  const cloth *first = g->bodies[0].c;
  const int32_t usual = plan->substeps < SELF_MANY_SUBSTEPS ? SELF_SWEEPS : SELF_USUAL_SWEEPS;
  self_tally tally = {0, 0, 0, 0, 0};
  for (int32_t n = 0; n < g->count; n++) {
    fill_zero(g->bodies[n].moved, (size_t)g->bodies[n].count);
  }
  for (int32_t n = 0; n < g->found->intersections; n++) {
    const self_intersection *x = &g->intersections[n];
    shorten_contour(&g->bodies[number_body(x->edge)], &g->bodies[number_body(x->triangle)], x);
  }
  add_varying_work(first, (uint32_t)g->found->intersections, COST_SELF_CONTOUR);
  for (int32_t sweep = 0; sweep < SELF_SWEEPS && (sweep < usual || tally.passed > 0); sweep++) {
    if (sweep > 0 && (tally.moved == 0 || !may_refine(first))) {
      break;
    }
    tally = sweep_group(g, sweep > 0 ? SELF_LATER_SWEEP : SELF_FIRST_SWEEP, plan->inverse_h, (index + sweep) & 1);
    charge_pass(first, &tally);
  }
  g->found->statistics.contacts = tally.touching;
  for (int32_t pass = 0; pass < SELF_HOLDS && tally.passed > 0; pass++) {
    tally = pass_candidates(g, SELF_HOLD, plan->inverse_h, pass & 1);
    charge_pass(first, &tally);
  }
  for (int32_t n = 0; n < g->count; n++) {
    forget_moved(&g->bodies[n]);
  }
}

/* Contact of a cloth with itself in substep `index`. */
CLOTH_SEPARATE void collide_with_self(const cloth *c, const step_plan *plan, int32_t index) {
  if (c->self) {
    self_body body;
    const self_group g = self_group_of(c, &body);
    collide_group(&g, plan, index);
  }
}

#else

static void collide_with_self(const cloth *c, const step_plan *plan, int32_t index) {
  (void)c;
  (void)plan;
  (void)index;
}

#endif
