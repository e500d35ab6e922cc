#pragma once
#include "../base/block3.h"
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/body_list.h"
#include "../cloth/gaps.h"
#include "../cloth/members.h"
#include "../cloth/types.h"
#include "../contact/cell_memory.h"
#include "../contact/points.h"
#include "../contact/touch.h"
#include "../solve/labels.h"
#include "../terms/air.h"
#include "predict.h"

/// Momentum of cloth that nothing holds ///

/*
 * What is left of the residual when a solve ends is a force that acts from nowhere. On each piece that nothing holds
 * its sum and its moment are taken out of the solution again, so that the momentum changes by gravity and air alone,
 * and the angular momentum by air alone:
 *
 *   d = W y less what gravity and air give at the solution,  p = sum d
 *   e = W (x + y - x_n - h f v0) less what air gives,         L = sum r x e,  r = x_n less the centre of mass
 *   y -= s + t x r,  M s + C^T t = p,  C s + I t = L
 *
 * M, I and C are those of the operator, with the blocks of the air; C, what a shift changes of the angular momentum, is
 * 0 without air. Bodies that the cloth touches or carries move along: their sums are added to p, L, M and I. The sum of
 * W x_n x x is the angular momentum of the new state, so this is exact; large turns are taken back in parts, as they
 * stretch cloth by half of the square of the angle.
 *
 * In: solution, direction, last step, state, air. Out: solution; the last step is 0 afterwards. Scratch: product, row
 * buffers.
 */

/* 1 if no particle is pinned, confined or led. */
static int is_unheld(const cloth *c) {
#if WITH_GAPS
  if (has_gaps(c)) {
    int free = inputs_of(c)->targets == TARGETS_NONE && inputs_of(c)->confined_count == 0;
    for (int32_t i = next_pin(c, 0); free && i < c->count; i = next_pin(c, i + 1)) {
      free = is_gap(c, i, GAP_PARTICLE); /* which are pinned */
    }
    return free;
  }
#endif
  if (inputs_of(c)->attachment_count > 0 && inputs_of(c)->confined_count == 0) {
    return next_held(c, 0) == c->count && inputs_of(c)->targets == TARGETS_NONE;
  }
  return are_all_free(c) && inputs_of(c)->targets == TARGETS_NONE;
}

/* 1 if nothing holds the cloth and it is one piece in this substep: each piece has momenta of its own. */
static int is_free_piece(const cloth *c) {
#if WITH_GAPS
  if (has_gaps(c)) {
    const int32_t pieces = is_torn_cloth(c) ? workspace_of(c)->pieces : gap_summary_of(c)->pieces;
    return pieces == 1 && is_unheld(c);
  }
#endif
  return is_unheld(c);
}

/* Pieces whose momenta are restored, at most: those whose first particles come first. */
#define MOST_FREE_PIECES 8
/* In place of a label: all of the cloth. */
#define LABEL_ALL (-1)

/* The pieces of the cloth that nothing holds, and the common motion that the solve starts each from. */
typedef struct free_pieces {
  int32_t count, label[MOST_FREE_PIECES];
  int32_t has_bodies; /* 1: bodies move along */
  cloth_vector motion[MOST_FREE_PIECES];
} free_pieces;

#if WITH_GAPS

/* 1 if pieces of the cloth may be free while pins hold others. */
static int may_have_free_pieces(const cloth *c) {
  return inputs_of(c)->targets == TARGETS_NONE && inputs_of(c)->confined_count == 0 && c->settings.tethers.count == 0;
}

/* Does a pin hold the piece of a label? */
static int is_piece_pinned(const cloth *c, int32_t label) {
  const int32_t *labels = labels_of(c), columns = c->grid.columns, pitch = pitch_of(c);
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    if (labels[i / columns * pitch + i % columns] == label) { return 1; }
  }
  return 0;
}

/* Those of cloth in several pieces. */
static void find_free_pieces(const cloth *c, free_pieces *f) {
  const int32_t *labels = labels_of(c), columns = c->grid.columns, pitch = pitch_of(c);
  for (int32_t i = 0; i < c->count && f->count < MOST_FREE_PIECES; i++) {
    const int32_t place = i / columns * pitch + i % columns;
    if (labels[place] == place && !is_piece_pinned(c, place)) { f->label[f->count++] = place; }
  }
}

#endif

/* 1 if bodies move along with cloth that nothing else holds: it touches or carries them alone. */
static int moves_bodies(const cloth *c) {
  int any = 0;
#if WITH_BODIES
  for (int32_t n = 0; n < workspace_of(c)->touches; n++) {
    if (!find_unknown(c, touches_of(c)[n].collider)) { return 0; }
    any = 1;
  }
  EACH_CELL_TOUCH(c, e, {
    if (!find_unknown(c, e->collider)) { return 0; }
    any = 1;
  });
  any |= body_count_of(c) > 0 && inputs_of(c)->attachment_count > 0;
#endif
  (void)c;
  return any;
}

static free_pieces free_pieces_of(const cloth *c) {
  free_pieces f;
  fill_zero(&f, sizeof f);
  f.has_bodies = moves_bodies(c);
  if ((meets_colliders(c) && !f.has_bodies) || workspace_of(c)->has_pairs == PAIRS_HOLD) {
    return f; /* colliders may hold any of them, or cloth that sleeps */
  }
#if WITH_GAPS
  if (is_in_pieces(c) && !workspace_of(c)->has_pairs) {
    if (!f.has_bodies && may_have_free_pieces(c)) { find_free_pieces(c, &f); }
    return f;
  }
  if (is_in_pieces(c)) { /* which push each other: free together */
    f.count = is_unheld(c);
    f.label[0] = LABEL_ALL;
    return f;
  }
#endif
  f.count = is_free_piece(c);
  f.label[0] = LABEL_ALL;
  return f;
}

/* The arrays of a piece: their diagonal is 0 beside it, and lies in the memory `free`. */
static solve_arrays arrays_of_label(const cloth *c, int32_t label, float *free) {
  solve_arrays a = arrays_of(c);
#if WITH_GAPS
  if (label != LABEL_ALL) {
    const int32_t *labels = labels_of(c);
    clear_floats(free, a.pitch * a.rows);
    for (int32_t i = 0; i < c->count; i++) {
      const int32_t place = i / a.columns * a.pitch + i % a.columns;
      if (labels[place] == label) { *own_at(free, 1, place, 0) = *own_at(a.diagonal, 1, place, 0); }
    }
    a.diagonal = free;
  }
#endif
  (void)label;
  (void)free;
  return a;
}

/* The same in memory that is free between passes. */
static solve_arrays arrays_of_free_piece(const cloth *c, int32_t label) {
  return arrays_of_label(c, label, floats_at(c, c->scratch.product));
}

/* Sums of vectors over all particles. */
typedef struct vector_sum {
  row_sum x, y, z;
} vector_sum;

static vector_sum vector_sum_start(void) {
  const vector_sum s = {row_sum_start(), row_sum_start(), row_sum_start()};
  return s;
}

CLOTH_INLINE void vector_sum_add(vector_sum *s, int32_t i, lanes3 a) {
  row_sum_add(&s->x, i, a.x);
  row_sum_add(&s->y, i, a.y);
  row_sum_add(&s->z, i, a.z);
}

static float sum_of(const row_sum *s) {
  lanes_sum sum;
  row_sum_store(sum.partial, s);
  return lanes_sum_total(&sum);
}

static cloth_vector vector_sum_of(const vector_sum *s) {
  return vector(sum_of(&s->x), sum_of(&s->y), sum_of(&s->z));
}

/* A symmetric matrix, the sum of a b^T with a and b parallel: its diagonal, and its entries yz, zx, xy. */
typedef struct tensor_sum {
  vector_sum diagonal, others;
} tensor_sum;

static tensor_sum tensor_sum_start(void) {
  const tensor_sum s = {vector_sum_start(), vector_sum_start()};
  return s;
}

CLOTH_INLINE void tensor_sum_add(tensor_sum *s, int32_t i, lanes3 a, lanes3 b) {
  vector_sum_add(&s->diagonal, i,
                 lanes3_of(lanes_multiply(a.x, b.x), lanes_multiply(a.y, b.y), lanes_multiply(a.z, b.z)));
  vector_sum_add(&s->others, i,
                 lanes3_of(lanes_multiply(a.y, b.z), lanes_multiply(a.z, b.x), lanes_multiply(a.x, b.y)));
}

/* scale (isotropic I + the matrix of diagonal d and others e). */
static symmetric scaled_tensor(float scale, float isotropic, cloth_vector d, cloth_vector e) {
  const symmetric m = {.xx = lanes_splat(scale * (isotropic + d.x)),
                       .yy = lanes_splat(scale * (isotropic + d.y)),
                       .zz = lanes_splat(scale * (isotropic + d.z)),
                       .xy = lanes_splat(flush_small(scale * e.z, WORK_QUANTUM)),
                       .xz = lanes_splat(flush_small(scale * e.y, WORK_QUANTUM)),
                       .yz = lanes_splat(flush_small(scale * e.x, WORK_QUANTUM))};
  return m;
}

/* The inverse, with pivots of at least `least`. */
static symmetric inverse_tensor(symmetric m, float least) {
  return symmetric_quantise(symmetric_inverse(m, lanes_splat(least)));
}

static cloth_vector tensor_apply(symmetric m, cloth_vector a) {
  return vector_flush_work(lanes3_first(symmetric_apply(m, lanes3_splat(vector_flush_work(a)))));
}

/* The mass ratios of a block of particles: W, where the cloth has them, else 0. */
CLOTH_INLINE lanes mass_ratios(const cloth *c, const float *diagonal, int32_t first, int32_t i) {
  const lanes_mask there = lanes_less(lanes_splat(0.0f), lanes_load(diagonal + i));
  return lanes_keep(there, mass_ratio_lanes(c, first + i));
}

/* The sums of the right-hand side and of the mass ratios. */
CLOTH_SEPARATE cloth_vector common_force(const cloth *c, const solve_arrays *a, float *mass) {
  vector_sum forces = vector_sum_start();
  row_sum masses = row_sum_start();
  for (int32_t row = 0; row < a->rows; row++) {
    const float *diagonal = a->diagonal + row * a->pitch, *residual = a->residual + 3 * row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      row_sum_add(&masses, i, mass_ratios(c, diagonal, row * a->columns, i));
      vector_sum_add(&forces, i, own_load(residual, i));
    }
  }
  *mass = sum_of(&masses);
  return vector_sum_of(&forces);
}

/* Takes what a motion as a whole needs out of the residual. */
CLOTH_SEPARATE void take_from_residual(const cloth *c, const solve_arrays *a, cloth_vector common) {
  const lanes3 motion = lanes3_splat(common);
  for (int32_t row = 0; row < a->rows; row++) {
    const float *diagonal = a->diagonal + row * a->pitch;
    float *residual = a->residual + 3 * row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      lanes3 taken = lanes3_scale(motion, mass_ratios(c, diagonal, row * a->columns, i));
      if (a->air) { /* A u, of which the blocks of the air are part */
        const lanes3 w = own_load(a->air, row * a->pitch + i);
        const lanes held = lanes_load(diagonal + i);
        const lanes more = lanes_subtract(held, mass_ratios(c, diagonal, row * a->columns, i));
        const lanes3 blown = lanes3_keep(lanes_less(lanes_splat(0.0f), held), lanes3_scale(w, lanes3_dot(w, motion)));
        taken = lanes3_add_scaled(lanes3_add(taken, blown), motion, more);
      }
      own_store(residual, i, lanes3_quantise(lanes3_subtract(own_load(residual, i), taken), WORK_ROUNDER));
    }
  }
}

/* The displacement of all of a free piece: the mean of the right-hand side over the mass. */
static cloth_vector motion_by(cloth_vector force, float mass) {
  return vector_flush_work(vector_scale(force, 1.0f / maximum(mass, WORK_QUANTUM)));
}

/* 1 if nothing holds any of the members, and each is one piece; *has_bodies: bodies move along. */
CLOTH_ONCE int32_t are_members_free(const solve_group *s, int32_t *has_bodies) {
  int32_t are_free = 1;
  *has_bodies = 0;
  EACH_MEMBER(s, m, {
    const int32_t moves = moves_bodies(m->c);
    are_free &= workspace_of(m->c)->has_pairs != PAIRS_HOLD && is_free_piece(m->c) && (!meets_colliders(m->c) || moves);
    *has_bodies |= moves;
  });
  return are_free;
}

/* The free pieces of one cloth; what is joined is free as a whole. */
CLOTH_ONCE free_pieces free_pieces_of_members(const solve_group *s) {
  if (!s->joints) { return free_pieces_of(s->members->c); }
  free_pieces f;
  fill_zero(&f, sizeof f);
  f.count = are_members_free(s, &f.has_bodies);
  f.label[0] = LABEL_ALL;
  return f;
}

/* The weight of the masses of a member. */
static float mass_weight(const solve_group *s, const solve_member *m) {
  return reference_mass(m->c) / reference_mass(s->members->c);
}

/* Takes the common motions of the free pieces out of the residual: the solve starts from there. */
CLOTH_SEPARATE void take_common_motions(const solve_group *s, free_pieces *f) {
  for (int32_t n = 0; n < f->count && !f->has_bodies; n++) {
    cloth_vector force = vector(0.0f, 0.0f, 0.0f);
    float mass = 0.0f;
    EACH_MEMBER(s, m, {
      const solve_arrays a = arrays_of_free_piece(m->c, f->label[n]);
      float own;
      const cloth_vector own_force = common_force(m->c, &a, &own);
      mass += m->weight * own;
      force = vector_add_scaled(force, own_force, m->weight);
    });
    f->motion[n] = motion_by(force, mass);
    EACH_MEMBER(s, m, {
      const solve_arrays a = arrays_of_free_piece(m->c, f->label[n]);
      take_from_residual(m->c, &a, f->motion[n]);
    });
  }
}

/* Starts the solution at the common motions, and at 0 beside the free pieces. */
CLOTH_SEPARATE void start_at_common_motions(const cloth *c, const free_pieces *f) {
  float *free = floats_at(c, c->scratch.direction); /* there is none yet */
  for (int32_t n = 0; n < f->count; n++) {
    const solve_arrays arrays = arrays_of_label(c, f->label[n], free), *a = &arrays;
    for (int32_t i = 0; i < a->pitch * a->rows; i += CLOTH_LANES) {
      const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + i));
      const lanes3 other = n > 0 ? own_load(a->solution, i) : lanes3_splat(vector(0.0f, 0.0f, 0.0f));
      own_store(a->solution, i, lanes3_select(moves, lanes3_splat(f->motion[n]), other));
    }
  }
}

/* Sums over the cloth, about a centre, of d and r x e. */
typedef struct momentum_sums {
  vector_sum linear, angular;
} momentum_sums;

/* Adds d and e of a block with the arms r. */
CLOTH_INLINE void momentum_sums_add(momentum_sums *s, int32_t i, lanes3 d, lanes3 e, lanes3 r) {
  vector_sum_add(&s->linear, i, d);
  vector_sum_add(&s->angular, i, lanes3_cross(r, e));
}

typedef struct momenta {
  cloth_vector linear, angular;
} momenta;

static momenta momenta_of(const momentum_sums *s) {
  const momenta m = {vector_sum_of(&s->linear), vector_sum_of(&s->angular)};
  return m;
}

/* A symmetric matrix, as tensor_sum. */
typedef struct tensor {
  cloth_vector diagonal, others;
} tensor;

static tensor tensor_of(const tensor_sum *s) {
  const tensor t = {vector_sum_of(&s->diagonal), vector_sum_of(&s->others)};
  return t;
}

/* The parts of M and I, about a centre: the isotropic parts of the blocks times 1 and r r^T, and w w^T and
   (r x w) (r x w)^T of the air; and the rows of C, of (r x w) w^T and of the isotropic parts of the air. */
typedef struct inertia_sums {
  float isotropic;
  tensor arms, blown, turned;
  cloth_vector coupled[3];
} inertia_sums;

/* The arms of a block about a centre, 0 where there is no cloth. */
CLOTH_INLINE lanes3 arms_of_block(vector_array x, int32_t i, lanes_mask there, cloth_vector centre) {
  const lanes3 arm = lanes3_subtract(lanes3_load(x, i), lanes3_splat(centre));
  return lanes3_quantise(lanes3_keep(there, arm), WORK_ROUNDER);
}

/* Moves the last step into the solution of a block, and returns y. */
CLOTH_INLINE lanes3 finished_solution(const solve_arrays *a, int32_t row, int32_t i, lanes last_step,
                                      int32_t has_solution) {
  const lanes3 y = solution_with(a, row, i, last_step, has_solution);
  own_store(a->solution + 3 * row * a->pitch, i, y);
  return y;
}

/* What the air gives a block at the solution y, times the mass ratio. */
CLOTH_DIRECT lanes3 air_at_solution(const wind_row *wind, int32_t i, int32_t ends, lanes3 way, lanes3 y) {
  const wind_force f = wind_on_block(wind, i, ends, way);
  const lanes3 w = lanes3_scale(f.normal, f.root);
  return lanes3_subtract(lanes3_subtract(f.force, lanes3_scale(w, lanes3_dot(w, y))), lanes3_scale(y, f.held));
}

/* What the momenta of a row take, and the sums so far; in the room between passes. */
typedef struct momentum_row {
  const solve_arrays *a;
  cloth_vector centre;
  int32_t row, has_solution;
  prediction_terms p;
  wind_row wind; /* with air */
  momentum_sums sums;
} momentum_row;

LAYOUT_CONTRACT(momentum_row_has_room, sizeof(momentum_row) <= ROOM_BYTES);

/* Begins with the first row. */
static momentum_row *start_momenta(const cloth *c, const substep_terms *t, const solve_arrays *a, cloth_vector centre,
                                   int32_t has_solution) {
  momentum_row *r = (momentum_row *)room_between_passes(c);
  clear_room(c, sizeof *r);
  r->a = a;
  r->centre = centre;
  r->has_solution = has_solution;
  r->p = prediction_of(c, t);
  start_wind(&r->wind, c, a, t);
  return r;
}

/* Adds a row to the sums. */
CLOTH_ONCE void sum_momentum_of_row(const cloth *c, const substep_terms *t, momentum_row *r) {
  const solve_arrays *a = r->a;
  const prediction_terms *p = &r->p;
  const lanes last_step = lanes_splat(workspace_of(c)->last_step), rest = lanes_splat(t->rest);
  const lanes3 fall = lanes3_splat(vector_flush_work(vector_scale(inputs_of(c)->gravity, t->share * t->h * t->h)));
  const float *diagonal = a->diagonal + r->row * a->pitch;
  const int32_t first = r->row * a->columns;
  EACH_ROW_BLOCK(i, ends, a->columns, {
    const lanes mass = mass_ratios(c, diagonal, first, i);
    const lanes_mask there = lanes_less(lanes_splat(0.0f), mass);
    const lanes3 y = finished_solution(a, r->row, i, last_step, r->has_solution);
    const lanes3 way = predicted_way(p, first + i, there, p->reach);
    const lanes3 going =
        lanes3_quantise(lanes3_scale(lanes3_load(p->v, first + i),
                                     lanes_multiply(left_by_drag(p, lanes3_load(p->v, first + i), first + i), p->h)),
                        WORK_ROUNDER);
    lanes3 d = lanes3_scale(lanes3_subtract(lanes3_subtract(y, lanes3_scale(way, rest)), fall), mass);
    lanes3 e = lanes3_scale(lanes3_subtract(lanes3_add(way, y), going), mass);
    if (a->air) {
      const lanes3 air = air_at_solution(&r->wind, i, ends, way, y);
      d = lanes3_subtract(d, air);
      e = lanes3_subtract(e, air);
    }
    const lanes3 arms = arms_of_block(p->x, first + i, there, r->centre);
    d = lanes3_quantise(lanes3_keep(there, d), WORK_ROUNDER);
    e = lanes3_quantise(lanes3_keep(there, e), WORK_ROUNDER);
    momentum_sums_add(&r->sums, i, d, e, arms);
  });
}

/* What the solution has of both momenta beside what it should have; finishes the solution. */
CLOTH_SEPARATE momenta momenta_of_solution(const cloth *c, const substep_terms *t, const solve_arrays *a,
                                           cloth_vector centre, int32_t has_solution) {
  momentum_row *r = start_momenta(c, t, a, centre, has_solution);
  for (; r->row < a->rows; r->row++) {
    if (a->air) { take_wind_row(&r->wind, a, r->row); }
    sum_momentum_of_row(c, t, r);
  }
  const momenta m = momenta_of(&r->sums);
  clear_room(c, sizeof *r);
  return m;
}

/* Sums of w w^T and (r x w) (r x w)^T of the air, of r times the isotropic parts, and of the rows of (r x w) w^T. */
typedef struct air_sums {
  tensor_sum blown, turned;
  vector_sum held, coupled[3];
} air_sums;

LAYOUT_CONTRACT(air_sums_have_room, sizeof(air_sums) <= ROOM_BYTES);

/* Adds the blocks of the air to the parts of M, I and C. */
CLOTH_SEPARATE void add_air_sums(const cloth *c, const solve_arrays *a, cloth_vector centre, inertia_sums *sums) {
  const vector_array x = vectors_at(c, c->state.position);
  air_sums *s = (air_sums *)room_between_passes(c);
  clear_room(c, sizeof *s);
  for (int32_t row = 0; row < a->rows; row++) {
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const float *diagonal = a->diagonal + row * a->pitch;
      const lanes own = lanes_load(diagonal + i);
      const lanes_mask there = lanes_less(lanes_splat(0.0f), own);
      const lanes3 w = lanes3_keep(there, own_load(a->air, row * a->pitch + i));
      const lanes3 r = arms_of_block(x, row * a->columns + i, there, centre);
      const lanes3 about = lanes3_quantise(lanes3_cross(r, w), WORK_ROUNDER);
      const lanes drag = lanes_subtract(own, mass_ratios(c, diagonal, row * a->columns, i));
      tensor_sum_add(&s->blown, i, w, w);
      tensor_sum_add(&s->turned, i, about, about);
      vector_sum_add(&s->held, i, lanes3_scale(r, lanes_keep(there, lanes_quantise(drag, WORK_ROUNDER))));
      vector_sum_add(&s->coupled[0], i, lanes3_scale(w, about.x));
      vector_sum_add(&s->coupled[1], i, lanes3_scale(w, about.y));
      vector_sum_add(&s->coupled[2], i, lanes3_scale(w, about.z));
    }
  }
  sums->blown = tensor_of(&s->blown);
  sums->turned = tensor_of(&s->turned);
  const cloth_vector h = vector_sum_of(&s->held);
  sums->coupled[0] = vector_add(vector_sum_of(&s->coupled[0]), vector(0.0f, negate(h.z), h.y));
  sums->coupled[1] = vector_add(vector_sum_of(&s->coupled[1]), vector(h.z, 0.0f, negate(h.x)));
  sums->coupled[2] = vector_add(vector_sum_of(&s->coupled[2]), vector(negate(h.y), h.x, 0.0f));
  clear_room(c, sizeof *s);
}

/* The parts of M and I of the masses alone, or with the isotropic parts of the blocks of the air. */
CLOTH_SEPARATE void find_inertia_sums(const cloth *c, const solve_arrays *a, cloth_vector centre, int32_t with_air,
                                      inertia_sums *sums) {
  const vector_array x = vectors_at(c, c->state.position);
  row_sum isotropic = row_sum_start();
  tensor_sum arms = tensor_sum_start();
  for (int32_t row = 0; row < a->rows; row++) {
    const float *diagonal = a->diagonal + row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes own = lanes_load(diagonal + i);
      const lanes held = with_air ? own : mass_ratios(c, diagonal, row * a->columns, i);
      const lanes3 r = arms_of_block(x, row * a->columns + i, lanes_less(lanes_splat(0.0f), own), centre);
      row_sum_add(&isotropic, i, held);
      tensor_sum_add(&arms, i, lanes3_scale(r, held), r);
    }
  }
  fill_zero(sums, sizeof *sums);
  sums->isotropic = sum_of(&isotropic);
  sums->arms = tensor_of(&arms);
}

/* The centre of mass at the start of the substep, and the sum of the mass ratios. */
CLOTH_SEPARATE cloth_vector centre_of_mass(const cloth *c, const solve_arrays *a, float *mass) {
  const vector_array x = vectors_at(c, c->state.position);
  vector_sum moments = vector_sum_start();
  row_sum masses = row_sum_start();
  for (int32_t row = 0; row < a->rows; row++) {
    const float *diagonal = a->diagonal + row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes ratio = mass_ratios(c, diagonal, row * a->columns, i);
      row_sum_add(&masses, i, ratio);
      const lanes3 place = lanes3_keep(lanes_less(lanes_splat(0.0f), ratio), lanes3_load(x, row * a->columns + i));
      vector_sum_add(&moments, i, lanes3_scale(lanes3_quantise(place, WORK_ROUNDER), ratio));
    }
  }
  *mass = sum_of(&masses);
  return vector_scale(vector_sum_of(&moments), 1.0f / maximum(*mass, WORK_QUANTUM));
}

/* Least pivot of the tensor of inertia over its trace: cloth rolled into a line must not spin about itself. */
#define LEAST_INERTIA 1.0e-5f

/* Largest turn that is taken back in a substep [rad]. */
#define LARGEST_TURN 0.3f

/* A tensor of inertia: the inverse of `scale` I. */
typedef struct inertia_tensor {
  symmetric inverse;
  float scale;
} inertia_tensor;

/* Of the sums: I = sum W (r^2 1 - r r^T) + sum (r x w) (r x w)^T. */
static inertia_tensor tensor_of_inertia(const inertia_sums *t) {
  const cloth_vector q = t->arms.diagonal, d = vector_subtract(t->turned.diagonal, q);
  const cloth_vector e = vector_subtract(t->turned.others, t->arms.others);
  const float trace = q.x + q.y + q.z;
  if (!(trace > STATE_QUANTUM)) {
    const inertia_tensor none = {symmetric_identity(lanes_splat(0.0f)), 0.0f};
    return none;
  }
  const float scale = 0.5f / trace;
  const inertia_tensor i = {
      inverse_tensor(scaled_tensor(scale, trace * (1.0f + 2.0f * LEAST_INERTIA), d, e), LEAST_INERTIA), scale};
  return i;
}

/* I^-1 L */
static cloth_vector turn_by_moment(const inertia_tensor *i, cloth_vector moment) {
  return tensor_apply(i->inverse, vector_scale(moment, i->scale));
}

/* The inverse of M over the mass ratio `mass` of cloth. */
static symmetric shift_tensor(const inertia_sums *t, float mass) {
  const float scale = 1.0f / maximum(mass, WORK_QUANTUM);
  const symmetric m = scaled_tensor(scale, t->isotropic, t->blown.diagonal, t->blown.others);
  return inverse_tensor(m, LEAST_INERTIA);
}

/* M^-1 p of cloth of the mass ratio `mass`. */
static cloth_vector shift_by_momentum(const inertia_sums *t, float mass, cloth_vector momentum) {
  return tensor_apply(shift_tensor(t, mass), vector_scale(momentum, 1.0f / maximum(mass, WORK_QUANTUM)));
}
