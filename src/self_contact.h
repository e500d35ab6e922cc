#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
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
  vector_array place_a, place_b, start_a, start_b;
  float thickness, friction, inverse_h, least_square, margin;
} self_context;

/* A block of candidates: what they are made of, and where that is. */
typedef struct self_block {
  int32_t particle[CLOTH_LANES], corner[4][CLOTH_LANES];
  float used[CLOTH_LANES]; /* 1 where there is a candidate, else 0 */
  lanes3 place, start;     /* of the particle */
  lanes3 at[4];            /* places of the corners */
} self_block;

CLOTH_INLINE lanes3 lanes3_pick(vector_array from, const int32_t *index) {
  return lanes3_of(lanes_pick(from.x, index), lanes_pick(from.y, index), lanes_pick(from.z, index));
}

CLOTH_INLINE void find_block(const self_context *s, const self_batch *batch, int32_t first, self_block *b) {
  const int32_t columns = s->b->columns, last = s->b->count - 1;
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    const int32_t cell = batch->cell[first + n];
    const int32_t used = cell != last;
    const int32_t corner = used ? cell : 0;
    const int32_t right = s->b->is_wrapped && (corner + 1) % columns == 0 ? corner + 1 - columns : corner + 1;
    b->particle[n] = batch->particle[first + n];
    b->corner[0][n] = corner;
    b->corner[1][n] = right;
    b->corner[2][n] = right + columns;
    b->corner[3][n] = corner + columns;
    b->used[n] = (float)used;
  }
}

CLOTH_INLINE void load_places(const self_context *s, self_block *b) {
  b->place = lanes3_pick(s->place_a, b->particle);
  for (int32_t k = 0; k < 4; k++) {
    b->at[k] = lanes3_pick(s->place_b, b->corner[k]);
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
  const lanes_mask used = lanes_less(lanes_splat(0.0f), lanes_load(b->used));
  return lanes_both(used, lanes_less(gap, lanes_splat(s->thickness)));
}

/* Candidates of a block that touch one of the two triangles of their cell. */
typedef struct self_touch {
  const int32_t *corner[3];
  lanes3 normal;   /* of unit length, to the side of the particle */
  lanes passed;    /* 1 where the particle has passed the plane, else 0 */
  lanes push;      /* how far to move them apart [m] */
  lanes weight[3]; /* of the corners; that of the particle is 1, and theirs are less than 0 */
} self_touch;

/* Share of a triangle's corner in the point of contact: 0 if it is small, negative to 0. */
CLOTH_INLINE lanes corner_share(lanes area, lanes square) {
  const lanes_mask is_large = lanes_less(lanes_multiply(square, lanes_splat(SELF_LEAST_WEIGHT)), area);
  return lanes_divide(lanes_keep(is_large, area), square);
}

/* Finds which of the candidates `near` touch a triangle. */
CLOTH_INLINE lanes_mask find_touches(const self_context *s, const self_block *b, int32_t which, lanes_mask near,
                                     self_touch *t) {
  const int32_t second = which + 1, third = which + 2;
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 ab = lanes3_exact_difference(b->at[second], b->at[0]);
  const lanes3 ac = lanes3_exact_difference(b->at[third], b->at[0]);
  const lanes3 ap = lanes3_exact_difference(b->place, b->at[0]);
  const lanes3 normal = lanes3_cross(ab, ac);
  const lanes square = lanes3_dot(normal, normal);
  const lanes u = lanes3_dot(lanes3_cross(ap, ac), normal), v = lanes3_dot(lanes3_cross(ab, ap), normal);
  const lanes margin = lanes_multiply(square, lanes_splat(negate(s->margin)));
  lanes_mask touches = lanes_both(near, lanes_less(lanes_splat(s->least_square), square));
  touches = lanes_both(touches, lanes_both(lanes_less(margin, u), lanes_less(margin, v)));
  touches = lanes_both(touches, lanes_less(lanes_add(lanes_add(u, v), margin), square));
  if (!lanes_any(touches)) {
    return touches;
  }
  t->corner[0] = b->corner[0];
  t->corner[1] = b->corner[second];
  t->corner[2] = b->corner[third];
  const lanes3 a0 = lanes3_pick(s->start_b, t->corner[0]);
  const lanes3 normal_before = lanes3_cross(lanes3_exact_difference(lanes3_pick(s->start_b, t->corner[1]), a0),
                                            lanes3_exact_difference(lanes3_pick(s->start_b, t->corner[2]), a0));
  const lanes side = lanes_sign(lanes3_dot(lanes3_exact_difference(b->start, a0), normal_before));
  const lanes safe = lanes_select(touches, square, one);
  const lanes inverse = lanes_divide(one, lanes_square_root(safe));
  const lanes height = lanes_multiply(lanes_multiply(lanes3_dot(ap, normal), side), inverse);
  const lanes push = lanes_quantise(lanes_subtract(lanes_splat(s->thickness), height), WORK_ROUNDER);
  touches = lanes_both(touches, lanes_less(zero, push));
  t->push = lanes_keep(touches, push);
  t->normal = lanes3_quantise(lanes3_scale(normal, lanes_multiply(side, inverse)), WORK_ROUNDER);
  lanes share_1 = corner_share(lanes_keep(touches, u), safe), share_2 = corner_share(lanes_keep(touches, v), safe);
  const lanes sum = lanes_maximum(lanes_add(share_1, share_2), one);
  share_1 = lanes_divide(share_1, sum);
  share_2 = lanes_divide(share_2, sum);
  t->weight[0] = lanes_negate(lanes_maximum(lanes_subtract(lanes_subtract(one, share_1), share_2), zero));
  t->weight[1] = lanes_negate(share_1);
  t->weight[2] = lanes_negate(share_2);
  return touches;
}

/* What a block of contacts changes: a particle moves by `move` times its share, its velocity changes by `change`. */
typedef struct self_response {
  float share[4][CLOTH_LANES];
  float move[3][CLOTH_LANES];   /* [m] */
  float change[3][CLOTH_LANES]; /* [m/s] */
  float touches[CLOTH_LANES];   /* 1 or 0 */
  float push[CLOTH_LANES];      /* [m] */
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
  const cloth_vector change =
      vector(share * r->change[0][lane], share * r->change[1][lane], share * r->change[2][lane]);
  vector_store(b->velocity, i, vector_add(vector_load(b->velocity, i), change));
  shift_self_history(b, i, change);
}

/* Displacement since the start of the substep, in multiples of 2^-30 m. */
CLOTH_INLINE lanes3 displacement_of(vector_array place, vector_array start, const int32_t *index) {
  return lanes3_exact_difference(lanes3_pick(place, index), lanes3_pick(start, index));
}

/*
 * The law of respond_to_contacts() (contact.h) for four particles: the relative displacement m of the particle and the
 * point that it touches has a part along the normal, of which min(push, -m . N) is stopped, and a slip, of which
 * friction takes min(friction * stopped / |slip|, 1). Only what is stopped and the friction change velocities.
 */
CLOTH_INLINE void respond_to_touches(const self_context *s, const self_block *b, lanes_mask touches,
                                     const self_touch *t, self_response *r) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes mobility[4], sum;
  lanes3 m = lanes3_exact_difference(b->place, b->start);
  mobility[0] = sum = lanes_pick(s->a->mobility, b->particle);
  for (int32_t k = 0; k < 3; k++) {
    const lanes weight = t->weight[k];
    const lanes3 moved = displacement_of(s->place_b, s->start_b, t->corner[k]);
    m = lanes3_add(m, lanes3_scale(moved, weight));
    mobility[k + 1] = lanes_multiply(weight, lanes_pick(s->b->mobility, t->corner[k]));
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
  lanes3 move = lanes3_subtract(lanes3_scale(t->normal, t->push), friction);
  lanes3 change = lanes3_subtract(lanes3_scale(t->normal, stopped), friction);
  move = lanes3_keep(touches, lanes3_quantise(move, WORK_ROUNDER));
  change = lanes3_scale(lanes3_keep(touches, lanes3_quantise(change, WORK_ROUNDER)), lanes_splat(s->inverse_h));
  for (int32_t k = 0; k < 4; k++) {
    lanes_store(r->share[k], lanes_multiply(mobility[k], inverse));
  }
  lanes_store(r->move[0], move.x);
  lanes_store(r->move[1], move.y);
  lanes_store(r->move[2], move.z);
  lanes_store(r->change[0], change.x);
  lanes_store(r->change[1], change.y);
  lanes_store(r->change[2], change.z);
  lanes_store(r->touches, lanes_keep(touches, one));
  lanes_store(r->push, t->push);
}

/* Candidates that touched in a pass, those of them that had passed a plane, and the batches that were looked at. */
typedef struct self_tally {
  int32_t touching, passed, batches;
  int32_t moved; /* folds opened and triangles touched in a sweep */
  uint32_t near; /* candidates whose boxes meet, of these batches */
} self_tally;

/* Contacts of a block of candidates with one triangle of each cell. */
CLOTH_SEPARATE void collide_triangles(const self_context *s, self_block *b, int32_t which, lanes_mask near,
                                      self_tally *tally) {
  self_touch t;
  self_response r;
  const lanes_mask touches = find_touches(s, b, which, near, &t);
  if (!lanes_any(touches)) {
    return;
  }
  respond_to_touches(s, b, touches, &t, &r);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    if (r.touches[lane] > 0.0f) {
      move_particle(s->a, b->particle[lane], &r, 0, lane);
      for (int32_t k = 0; k < 3; k++) {
        move_particle(s->b, t.corner[k][lane], &r, k + 1, lane);
      }
      tally->touching++;
      tally->passed += r.push[lane] > s->thickness;
    }
  }
  load_places(s, b);
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
      shift_self_history(b, i, vector_subtract(m.velocity, vector_load(b->velocity, i)));
      vector_store(b->velocity, i, m.velocity);
    }
  }
}

/* Holds those of a block of candidates that have passed one triangle of their cell. */
CLOTH_SEPARATE void hold_triangles(const self_context *s, self_block *b, int32_t which, lanes_mask near,
                                   self_tally *tally) {
  self_touch t;
  float passed[CLOTH_LANES];
  lanes_mask touches = find_touches(s, b, which, near, &t);
  if (!lanes_any(touches)) {
    return;
  }
  touches = lanes_both(touches, lanes_less(lanes_splat(s->thickness), t.push));
  lanes_store(passed, lanes_keep(touches, lanes_splat(1.0f)));
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    if (passed[lane] > 0.0f) {
      const int32_t particle[4] = {b->particle[lane], t.corner[0][lane], t.corner[1][lane], t.corner[2][lane]};
      hold_together(s, particle);
      tally->touching++;
      tally->passed++;
    }
  }
  load_places(s, b);
}

/* What a pass over the candidates does. */
typedef enum self_pass { SELF_FIRST_SWEEP, SELF_LATER_SWEEP, SELF_HOLD } self_pass;

/* Contacts of a batch of candidates. Returns 1 if one of them is near. */
CLOTH_INLINE int collide_batch(const self_context *s, const self_batch *batch, self_pass pass, self_tally *tally) {
  int is_near = 0;
  for (int32_t first = 0; first < SELF_BATCH; first += CLOTH_LANES) {
    self_block b;
    find_block(s, batch, first, &b);
    load_places(s, &b);
    b.start = lanes3_pick(s->start_a, b.particle);
    const lanes_mask near = is_block_near(s, &b);
    if (!lanes_any(near)) {
      continue;
    }
    is_near = 1;
    tally->near += lanes_count(lanes_keep(near, lanes_splat(1.0f)));
    for (int32_t which = 0; which < 2; which++) {
      if (pass == SELF_HOLD) {
        hold_triangles(s, &b, which, near, tally);
      } else {
        collide_triangles(s, &b, which, near, tally);
      }
    }
  }
  return is_near;
}

static self_context self_context_of(const self_group *g, uint32_t tag, self_pass pass, float inverse_h) {
  const int32_t first = (int32_t)(tag >> 8), second = (int32_t)(tag & 255u);
  const self_body *a = &g->bodies[first], *b = &g->bodies[second];
  const self_pair pair = pair_between(g, first, second);
  const self_context s = {.a = a,
                          .b = b,
                          .place_a = a->place,
                          .place_b = b->place,
                          .start_a = a->start,
                          .start_b = b->start,
                          .thickness = pair.thickness,
                          .friction = pair.friction,
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
    const int32_t touching = tally.touching;
    const int is_near = collide_batch(&s, &g->batches[batch], pass, &tally);
    if (g->touching && pass != SELF_HOLD) {
      count_both(g->touching, tag, tally.touching - touching);
    }
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
    const float thickness = pair_between(g, n, n).thickness;
    if (!(thickness > 0.0f)) {
      continue;
    }
    const fold_tally folds = open_folds(b, thickness, inverse_h);
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
  for (int32_t n = 0; n < g->found->intersections; n++) {
    const self_intersection *x = &g->intersections[n];
    shorten_contour(&g->bodies[number_body(x->edge)], &g->bodies[number_body(x->triangle)], x);
  }
  add_varying_work(first, (uint32_t)g->found->intersections, COST_SELF_CONTOUR);
  for (int32_t sweep = 0; sweep < SELF_SWEEPS && (sweep < usual || tally.passed > 0); sweep++) {
    if (sweep > 0 && (tally.moved == 0 || !may_refine(first))) {
      break;
    }
    if (g->touching) {
      fill_zero(g->touching, (size_t)g->count * sizeof(int32_t));
    }
    tally = sweep_group(g, sweep > 0 ? SELF_LATER_SWEEP : SELF_FIRST_SWEEP, plan->inverse_h, (index + sweep) & 1);
    charge_pass(first, &tally);
  }
  g->found->statistics.contacts = tally.touching;
  for (int32_t pass = 0; pass < SELF_HOLDS && tally.passed > 0; pass++) {
    tally = pass_candidates(g, SELF_HOLD, plan->inverse_h, pass & 1);
    charge_pass(first, &tally);
  }
}

/* Contact of a cloth with itself in substep `index`. */
CLOTH_SEPARATE void collide_with_self(const cloth *c, const step_plan *plan, int32_t index) {
  if (feels_itself(c)) {
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
