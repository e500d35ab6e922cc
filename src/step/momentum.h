#pragma once
#include "../bodies/bodies.h"
#include "../bodies/coupling.h"
#include "../contact/cell_memory.h"
#include "../solve/free_pieces.h"
#include "../terms/air.h"
#include "places.h"

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
 * stretch cloth by half of the square of the angle. Cloth that only confinements hold keeps its momentum along the ways
 * that these leave it as a whole: a curtain on a rail along it.
 *
 * The part of the ways of a free cloth over a substep that has its momentum and its angular momentum, and deforms
 * nothing, is a shift and a turn, with b the axis times the tangent of half the angle,
 *
 *   t + R r - r = t + 2 / (1 + b^2) (b x r + b x (b x r))
 *
 * Its angular momentum sum W r x R r is 2 / (1 + b^2) (I b - b x S b), S = sum W r r^T; a few steps of
 * b += I'^-1 ((1 + b^2) L / 2 + b x S b - I b) find the b of a given L, with an I' that has a least pivot.
 *
 * In: solution, direction, last step, state, air; bent = the ways. Out: solution; the last step is 0 afterwards.
 * Scratch: product, row buffers.
 */

/* Adds a b^T, a and b parallel, to a symmetric matrix: sums[0] its diagonal, sums[1] its entries yz, zx, xy. */
CLOTH_INLINE void tensor_sum_add(vector_sum sums[2], int32_t i, lanes3 a, lanes3 b) {
  vector_sum_add(&sums[0], i, lanes3_of(lanes_multiply(a.x, b.x), lanes_multiply(a.y, b.y), lanes_multiply(a.z, b.z)));
  vector_sum_add(&sums[1], i, lanes3_of(lanes_multiply(a.y, b.z), lanes_multiply(a.z, b.x), lanes_multiply(a.x, b.y)));
}

/* Least pivot of the tensor of inertia over its trace: cloth rolled into a line must not spin about itself. */
#define LEAST_INERTIA 1.0e-5f

/* The inverse of scale (isotropic I + the matrix of diagonal d and others e). */
static symmetric inverse_tensor(float scale, float isotropic, cloth_vector d, cloth_vector e) {
  const symmetric m = {.xx = lanes_splat(scale * (isotropic + d.x)),
                       .yy = lanes_splat(scale * (isotropic + d.y)),
                       .zz = lanes_splat(scale * (isotropic + d.z)),
                       .xy = lanes_splat(flush_work(scale * e.z)),
                       .xz = lanes_splat(flush_work(scale * e.y)),
                       .yz = lanes_splat(flush_work(scale * e.x))};
  return symmetric_quantise(symmetric_inverse(m, lanes_splat(LEAST_INERTIA)));
}

static cloth_vector tensor_apply(symmetric m, cloth_vector a) {
  return vector_flush_work(lanes3_first(symmetric_apply(m, lanes3_splat(vector_flush_work(a)))));
}

/* Both momenta about a centre: sums of d and of r x e. */
typedef struct momenta {
  cloth_vector linear, angular;
} momenta;

static momenta momenta_of(const vector_sum sums[2]) {
  return (momenta){vector_sum_of(&sums[0]), vector_sum_of(&sums[1])};
}

/* The arms of a block about a centre, 0 where there is no cloth. */
CLOTH_INLINE lanes3 arms_of_block(vector_array x, int32_t i, lanes_mask there, cloth_vector centre) {
  const lanes3 arm = lanes3_subtract(lanes3_load(x, i), lanes3_splat(centre));
  return lanes3_quantise(lanes3_keep(there, arm), WORK_ROUNDER);
}

/* What the air gives a block at the solution y, times the mass ratio. */
CLOTH_DIRECT lanes3 air_at_solution(const wind_row *wind, int32_t i, int32_t ends, lanes3 way, lanes3 y) {
  const wind_force f = wind_on_block(wind, i, ends, way);
  const lanes3 w = lanes3_scale(f.normal, f.root);
  return lanes3_subtract(lanes3_subtract(f.force, lanes3_scale(w, lanes3_dot(w, y))), lanes3_scale(y, f.held));
}

/* What the momenta of a solution take, and the sums so far; in the room between passes. */
typedef struct momentum_sums {
  prediction_terms p;
  wind_row wind; /* with air */
  vector_sum sums[2];
} momentum_sums;

LAYOUT_CONTRACT(momentum_sums_have_room, sizeof(momentum_sums) <= ROOM_BYTES);

/* What the solution has of both momenta beside what it should have; finishes the solution. */
CLOTH_SEPARATE momenta momenta_of_solution(const cloth *c, const substep_terms *t, const solve_arrays *a,
                                           cloth_vector centre, int32_t has_solution) {
  momentum_sums *s = (momentum_sums *)room_between_passes(c);
  const lanes last_step = lanes_splat(workspace_of(c)->last_step);
  const lanes3 fall = lanes3_splat(vector_scale_work(inputs_of(c)->gravity, t->share * t->h * t->h));
  clear_room(c, sizeof *s);
  s->p = prediction_of(c, t);
  start_wind(&s->wind, c, a, t);
  for (int32_t row = 0; row < a->rows; row++) {
    const prediction_terms *p = &s->p;
    if (a->air) { take_wind_row(&s->wind, a, row); }
    EACH_ROW_BLOCK(i, ends, a->columns, {
      const int32_t particle = row * a->columns + i;
      const lanes mass = mass_ratios(c, a, row, i);
      const lanes_mask there = lanes_less(lanes_splat(0.0f), mass);
      const lanes3 y = solution_with(a, row, i, last_step, has_solution);
      own_store(a->solution, row * a->pitch + i, y);
      const lanes3 way = predicted_way(p, particle, there);
      const lanes3 v = lanes3_load(p->v, particle);
      const lanes3 going =
          lanes3_quantise(lanes3_scale(v, lanes_multiply(left_by_drag(p, v, particle), p->h)), WORK_ROUNDER);
      lanes3 d = lanes3_scale(lanes3_subtract(y, fall), mass);
      lanes3 e = lanes3_scale(lanes3_subtract(lanes3_add(way, y), going), mass);
      if (a->air) {
        const lanes3 air = air_at_solution(&s->wind, i, ends, way, y);
        d = lanes3_subtract(d, air);
        e = lanes3_subtract(e, air);
      }
      d = lanes3_quantise(lanes3_keep(there, d), WORK_ROUNDER);
      e = lanes3_quantise(lanes3_keep(there, e), WORK_ROUNDER);
      vector_sum_add(&s->sums[0], i, d);
      vector_sum_add(&s->sums[1], i, lanes3_cross(arms_of_block(p->x, particle, there, centre), e));
    });
  }
  const momenta m = momenta_of(s->sums);
  clear_room(c, sizeof *s);
  return m;
}

CLOTH_SEPARATE momenta momenta_of_ways(const cloth *c, const solve_arrays *a, cloth_vector centre) {
  const vector_array x = vectors_at(c, c->state.position);
  vector_sum *sums = (vector_sum *)room_between_passes(c);
  clear_room(c, 2 * sizeof *sums);
  EACH_PLACE(a, row, i, place, {
    const lanes ratio = mass_ratios(c, a, row, i);
    const lanes_mask there = lanes_less(lanes_splat(0.0f), ratio);
    const lanes3 moved = lanes3_scale(near_load(near_row(a->bent, a->pitch, row), a->plane, i), ratio);
    const lanes3 d = lanes3_quantise(lanes3_keep(there, moved), WORK_ROUNDER);
    vector_sum_add(&sums[0], i, d);
    vector_sum_add(&sums[1], i, lanes3_cross(arms_of_block(x, row * a->columns + i, there, centre), d));
  });
  const momenta m = momenta_of(sums);
  clear_room(c, 2 * sizeof *sums);
  return m;
}

/* What M, I and C about a centre consist of, symmetric matrices as tensor_sum_add() has them: r r^T of the isotropic
   parts of the blocks; w w^T and (r x w) (r x w)^T of the air; the rows of C, of (r x w) w^T and of the isotropic parts
   of the air, of which HELD is r times these. */
enum { ARMS, BLOWN = ARMS + 2, TURNED = BLOWN + 2, COUPLED = TURNED + 2, HELD = COUPLED + 3, INERTIA_PARTS };

/* And the sum of the isotropic parts. */
typedef struct inertia_sums {
  float isotropic;
  cloth_vector part[INERTIA_PARTS];
} inertia_sums;

typedef struct inertia_rows {
  row_sum isotropic;
  vector_sum part[INERTIA_PARTS];
} inertia_rows;

LAYOUT_CONTRACT(inertia_rows_have_room, sizeof(inertia_rows) <= ROOM_BYTES);

/* Adds the blocks of the air of a block of particles, `drag` their isotropic parts. */
CLOTH_INLINE void add_air_sums(inertia_rows *s, int32_t i, lanes3 w, lanes3 r, lanes drag) {
  const lanes3 about = lanes3_quantise(lanes3_cross(r, w), WORK_ROUNDER);
  tensor_sum_add(&s->part[BLOWN], i, w, w);
  tensor_sum_add(&s->part[TURNED], i, about, about);
  vector_sum_add(&s->part[HELD], i, lanes3_scale(r, drag));
  vector_sum_add(&s->part[COUPLED], i, lanes3_scale(w, about.x));
  vector_sum_add(&s->part[COUPLED + 1], i, lanes3_scale(w, about.y));
  vector_sum_add(&s->part[COUPLED + 2], i, lanes3_scale(w, about.z));
}

/* The parts of a piece of cloth: of the masses alone, or with the blocks of the air. */
CLOTH_SEPARATE void find_inertia_sums(const cloth *c, int32_t label, cloth_vector centre, int32_t with_air,
                                      inertia_sums *sums) {
  const solve_arrays arrays = arrays_of_free_piece(c, label), *a = &arrays;
  const int32_t is_blown = WITH_AIR && with_air && a->air;
  const vector_array x = vectors_at(c, c->state.position);
  inertia_rows *s = (inertia_rows *)room_between_passes(c);
  clear_room(c, sizeof *s);
  EACH_PLACE(a, row, i, place, {
    const lanes own = lanes_load(a->diagonal + place), ratio = mass_ratios(c, a, row, i), held = is_blown ? own : ratio;
    const lanes_mask there = lanes_less(lanes_splat(0.0f), own);
    const lanes3 r = arms_of_block(x, row * a->columns + i, there, centre);
    row_sum_add(&s->isotropic, i, held);
    tensor_sum_add(&s->part[ARMS], i, lanes3_scale(r, held), r);
    if (is_blown) {
      const lanes drag = lanes_keep(there, lanes_quantise(lanes_subtract(own, ratio), WORK_ROUNDER));
      add_air_sums(s, i, lanes3_keep(there, own_load(a->air, place)), r, drag);
    }
  });
  sums->isotropic = sum_of(&s->isotropic);
  for (int32_t n = 0; n < INERTIA_PARTS; n++) {
    sums->part[n] = vector_sum_of(&s->part[n]);
  }
  const cloth_vector h = sums->part[HELD];
  cloth_vector *rows = &sums->part[COUPLED];
  rows[0] = vector_add(rows[0], vector(0.0f, negate(h.z), h.y));
  rows[1] = vector_add(rows[1], vector(h.z, 0.0f, negate(h.x)));
  rows[2] = vector_add(rows[2], vector(negate(h.y), h.x, 0.0f));
  clear_room(c, sizeof *s);
}

/* Largest turn that is taken back in a substep [rad]. */
#define LARGEST_TURN 0.3f

/* A tensor of inertia: the inverse of `scale` I. */
typedef struct inertia_tensor {
  symmetric inverse;
  float scale;
} inertia_tensor;

/* Of the sums: I = sum W (r^2 1 - r r^T) + sum (r x w) (r x w)^T. */
static inertia_tensor tensor_of_inertia(const inertia_sums *t) {
  const cloth_vector q = t->part[ARMS], d = vector_subtract(t->part[TURNED], q);
  const cloth_vector e = vector_subtract(t->part[TURNED + 1], t->part[ARMS + 1]);
  const float trace = q.x + q.y + q.z;
  if (!(trace > STATE_QUANTUM)) {
    const inertia_tensor none = {symmetric_identity(lanes_splat(0.0f)), 0.0f};
    return none;
  }
  const float scale = 0.5f / trace;
  return (inertia_tensor){inverse_tensor(scale, trace * (1.0f + 2.0f * LEAST_INERTIA), d, e), scale};
}

/* I^-1 L */
static cloth_vector turn_by_moment(const inertia_tensor *i, cloth_vector moment) {
  return tensor_apply(i->inverse, vector_scale(moment, i->scale));
}

/* The inverse of M over the mass ratio `mass` of cloth. */
static symmetric shift_tensor(const inertia_sums *t, float mass) {
  const float scale = 1.0f / maximum(mass, WORK_QUANTUM);
  return inverse_tensor(scale, t->isotropic, t->part[BLOWN], t->part[BLOWN + 1]);
}

/* A motion as a whole about a centre: a shift, and a small turn; of the bodies, too, that move along. */
typedef struct common_motion {
  cloth_vector centre, shift, turn;
  int32_t has_bodies;
} common_motion;

/* Runs statements for each body `b`, with its unknowns `u`, that moves along and is not another cloth's. */
#define EACH_BODY_ALONG(c, b, u, ...)                                                                                  \
  for (int32_t b##_n = 0; b##_n < body_count_of(c); b##_n++) {                                                         \
    const rigid_body *b = &bodies_of(c)[b##_n];                                                                        \
    const body_unknown *u = &body_unknowns_of(c)[b##_n];                                                               \
    if (u->joins && !u->leader) { __VA_ARGS__; }                                                                       \
  }

/* The centre of mass of cloth and the bodies that move along, and their mass ratios. */
static cloth_vector centre_with_bodies(const cloth *c, const substep_terms *t, cloth_vector centre, float *mass) {
  cloth_vector moment = vector_scale(centre, *mass);
  EACH_BODY_ALONG(c, b, u, {
    const float ratio = body_mass_ratio(t, b);
    moment = vector_add_scaled(moment, vector_flush_work(u->start.position), ratio);
    *mass += ratio;
  });
  return vector_scale(moment, 1.0f / *mass);
}

/* Adds a symmetric matrix of these columns. */
static void add_columns(cloth_vector tensor[2], const cloth_vector columns[3]) {
  tensor[0] = vector_add(tensor[0], vector(columns[0].x, columns[1].y, columns[2].z));
  tensor[1] = vector_add(tensor[1], vector(columns[1].z, columns[2].x, columns[0].y));
}

/* Adds the bodies that move along to momenta about a centre. */
CLOTH_SEPARATE void add_body_momenta(const cloth *c, const substep_terms *t, cloth_vector centre, momenta *m) {
  const float squared = t->h * t->h;
  const cloth_vector fall = inputs_of(c)->gravity;
  EACH_BODY_ALONG(c, b, u, {
    const float ratio = body_mass_ratio(t, b), *y = u->solution;
    const cloth_vector arm = vector_flush_work(vector_subtract(u->start.position, centre));
    const cloth_vector moved = vector(y[0], y[1], y[2]), turned = vector_flush_work(vector(y[3], y[4], y[5]));
    const cloth_vector linear = vector_add_scaled(moved, fall, negate(squared * b->gravity));
    const cloth_vector angular = vector_add_scaled(moved, fall, squared * (1.0f - b->gravity));
    const cloth_vector spin = vector_scale(apply_inertia(b->inertia, u->end.rotation, turned, 0), ratio / b->mass);
    m->linear = vector_add_scaled(m->linear, vector_flush_work(linear), ratio);
    m->angular = vector_add_scaled(m->angular, vector_cross(arm, vector_flush_work(angular)), ratio);
    m->angular = vector_add(m->angular, spin);
  });
}

/* The same of their inertia. */
CLOTH_SEPARATE void add_body_inertia(const cloth *c, const substep_terms *t, cloth_vector centre, inertia_sums *sums) {
  EACH_BODY_ALONG(c, b, u, {
    const float ratio = body_mass_ratio(t, b);
    const cloth_vector arm = vector_flush_work(vector_subtract(u->start.position, centre));
    cloth_vector arms[3], turned[3];
    sums->isotropic += ratio;
    for (int32_t k = 0; k < 3; k++) {
      const cloth_vector own = apply_inertia(b->inertia, u->end.rotation, along_axis(k, 1.0f), 0);
      arms[k] = vector_scale(arm, ratio * component(arm, k));
      turned[k] = vector_scale(own, ratio / b->mass);
    }
    add_columns(&sums->part[ARMS], arms);
    add_columns(&sums->part[TURNED], turned);
  });
}

/* Takes a common motion out of the bodies that move along. */
static void take_from_bodies(const cloth *c, const common_motion *m) {
  for (int32_t n = 0; n < body_count_of(c); n++) {
    body_unknown *u = &body_unknowns_of(c)[n];
    const cloth_vector arm = vector_flush_work(vector_subtract(u->start.position, m->centre));
    const cloth_vector taken = vector_add(m->shift, vector_cross(m->turn, arm));
    for (int32_t k = 0; u->joins && k < 3; k++) {
      u->solution[k] -= component(taken, k);
      u->solution[3 + k] -= u->turns ? component(m->turn, k) : 0.0f;
    }
  }
}

static void add_weighted(cloth_vector *sum, cloth_vector a, float weight) {
  *sum = vector_add_scaled(*sum, a, weight);
}

/* The centre of mass of a piece of one member at the start of the substep, and its mass ratio. */
static cloth_vector centre_of_member(const solve_member *m, int32_t label, int32_t has_bodies, float *mass) {
  const solve_arrays a = arrays_of_free_piece(m->c, label);
  const cloth_vector moment = sum_of_piece(m->c, &a, SUM_PLACES, mass);
  const cloth_vector centre = vector_scale(moment, 1.0f / maximum(*mass, WORK_QUANTUM));
  return WITH_BODIES && has_bodies ? centre_with_bodies(m->c, m->t, centre, mass) : centre;
}

/* The same of all members together. */
CLOTH_ONCE cloth_vector centre_of_members(const solve_group *s, int32_t label, int32_t has_bodies, float *mass) {
  cloth_vector moment = vector(0.0f, 0.0f, 0.0f), centre = moment;
  *mass = 0.0f;
  EACH_MEMBER(s, m, {
    const float weight = mass_weight(s, m);
    float own;
    centre = centre_of_member(m, label, has_bodies, &own);
    *mass += weight * own;
    moment = vector_add_scaled(moment, centre, weight * own);
  });
  return s->count > 1 ? vector_scale(moment, 1.0f / maximum(*mass, WORK_QUANTUM)) : centre;
}

/* Takes a motion as a whole out of the solution of a piece. */
CLOTH_ONCE void take_motion(const cloth *c, int32_t label, const common_motion *m) {
  const solve_arrays arrays = arrays_of_free_piece(c, label), *a = &arrays;
  const vector_array x = vectors_at(c, c->state.position);
  const lanes3 centre = lanes3_splat(m->centre), shift = lanes3_splat(m->shift), turned = lanes3_splat(m->turn);
  EACH_PLACE(a, row, i, place, {
    const lanes_mask there = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + place));
    const lanes3 r = lanes3_subtract(lanes3_load(x, row * a->columns + i), centre);
    const lanes3 taken = lanes3_keep(there, lanes3_add(shift, lanes3_cross(turned, r)));
    own_store(a->solution, place, lanes3_subtract(own_load(a->solution, place), taken));
  });
  if (WITH_BODIES && m->has_bodies) { take_from_bodies(c, m); }
}

CLOTH_ONCE void add_momenta_of_member(const solve_group *s, const solve_member *m, int32_t label,
                                      const common_motion *whole, momenta *sum) {
  const solve_arrays a = arrays_of_free_piece(m->c, label);
  momenta own = momenta_of_solution(m->c, m->t, &a, whole->centre, m->has_solution);
  if (WITH_BODIES && whole->has_bodies) { add_body_momenta(m->c, m->t, whole->centre, &own); }
  const float weight = mass_weight(s, m);
  add_weighted(&sum->linear, own.linear, weight);
  add_weighted(&sum->angular, own.angular, weight);
}

/* The parts of M, I and C of all members about a centre, with the blocks of the air or without. */
CLOTH_ONCE void find_inertia_of_members(const solve_group *s, int32_t label, const common_motion *whole,
                                        int32_t with_air, inertia_sums *sum) {
  fill_zero(sum, sizeof *sum);
  EACH_MEMBER(s, m, {
    const float weight = mass_weight(s, m);
    inertia_sums own;
    find_inertia_sums(m->c, label, whole->centre, with_air, &own);
    if (WITH_BODIES && whole->has_bodies) { add_body_inertia(m->c, m->t, whole->centre, &own); }
    sum->isotropic += weight * own.isotropic;
    for (int32_t n = 0; n < INERTIA_PARTS; n++) {
      add_weighted(&sum->part[n], own.part[n], weight);
    }
  });
}

/* Solves M s + C^T t = p, C s + I t = L by t = (I - C M^-1 C^T)^-1 (L - C M^-1 p): the shift s and the turn t, which is
   limited, and then the shift has the momentum still. `inertia` is left with I - C M^-1 C^T. */
CLOTH_ONCE void solve_for_motion(inertia_sums *inertia, float mass, const momenta *sum, common_motion *whole) {
  const float scale = 1.0f / maximum(mass, WORK_QUANTUM);
  const symmetric inverse = shift_tensor(inertia, mass);
  const cloth_vector *rows = &inertia->part[COUPLED], alone = tensor_apply(inverse, vector_scale(sum->linear, scale));
  cloth_vector by[3];
  for (int32_t k = 0; k < 3; k++) {
    by[k] = tensor_apply(inverse, vector_scale(rows[k], scale));
  }
  const cloth_vector d = {vector_dot(rows[0], by[0]), vector_dot(rows[1], by[1]), vector_dot(rows[2], by[2])};
  const cloth_vector e = {vector_dot(rows[1], by[2]), vector_dot(rows[2], by[0]), vector_dot(rows[0], by[1])};
  const cloth_vector moment = {vector_dot(rows[0], alone), vector_dot(rows[1], alone), vector_dot(rows[2], alone)};
  inertia->part[TURNED] = vector_subtract(inertia->part[TURNED], d);
  inertia->part[TURNED + 1] = vector_subtract(inertia->part[TURNED + 1], e);
  const inertia_tensor turning = tensor_of_inertia(inertia);
  whole->turn = turn_by_moment(&turning, vector_subtract(sum->angular, moment));
  clamp_length(&whole->turn, LARGEST_TURN);
  whole->shift = vector_add_scaled(alone, by[0], negate(whole->turn.x));
  whole->shift = vector_add_scaled(whole->shift, by[1], negate(whole->turn.y));
  whole->shift = vector_add_scaled(whole->shift, by[2], negate(whole->turn.z));
}

/* Leaves what confined cloth may do as a whole of its momentum, and of M: the isotropic parts and P B P, with B those
   of the air and P the part along the ways. It does not turn. */
CLOTH_ONCE void keep_ways(const common_ways *w, inertia_sums *inertia, momenta *sum) {
  cloth_vector *b = &inertia->part[BLOWN], kept[3];
  const cloth_vector d = b[0], e = b[1];
  const cloth_vector rows[3] = {{d.x, e.z, e.y}, {e.z, d.y, e.x}, {e.y, e.x, d.z}};
  for (int32_t k = 0; k < 3; k++) {
    const cloth_vector from = along_ways(w, along_axis(k, 1.0f));
    const cloth_vector to = {vector_dot(rows[0], from), vector_dot(rows[1], from), vector_dot(rows[2], from)};
    kept[k] = along_ways(w, vector_flush_work(to));
    inertia->part[COUPLED + k] = vector(0.0f, 0.0f, 0.0f);
  }
  b[0] = vector(kept[0].x, kept[1].y, kept[2].z);
  b[1] = vector(kept[1].z, kept[2].x, kept[0].y);
  sum->linear = along_ways(w, sum->linear);
  sum->angular = vector(0.0f, 0.0f, 0.0f);
}

/* Takes what is left over out of the solution of free piece n, and `turned`, added to its angular momentum before. */
CLOTH_SEPARATE void restore_piece(const solve_group *s, const free_pieces *f, int32_t n, cloth_vector turned) {
  const int32_t label = f->label[n], has_bodies = f->has_bodies;
  float mass;
  common_motion whole = {.centre = centre_of_members(s, label, has_bodies, &mass), .has_bodies = has_bodies};
  momenta sum = {vector(0.0f, 0.0f, 0.0f), turned};
  EACH_MEMBER(s, m, add_momenta_of_member(s, m, label, &whole, &sum));
  inertia_sums inertia;
  find_inertia_of_members(s, label, &whole, 1, &inertia);
  if (f->ways.kind != WAYS_ALL) { keep_ways(&f->ways, &inertia, &sum); }
  solve_for_motion(&inertia, mass, &sum, &whole);
  EACH_MEMBER(s, m, {
    take_motion(m->c, label, &whole);
    workspace_of(m->c)->last_step = 0.0f;
    m->has_solution = 1;
  });
}

/* Restores the momenta of all free pieces. `turned`: as restore_piece(). */
CLOTH_ONCE void restore_momentum(const solve_group *s, cloth_vector turned) {
  const free_pieces f = free_pieces_of_members(s);
  for (int32_t n = 0; n < f.count; n++) {
    restore_piece(s, &f, n, turned);
  }
}

/* Steps to find b: turns of less than half a radian agree to 1e-4 then. */
#define TURN_STEPS 4
/* Largest b, a right angle: a turn by more has less angular momentum. */
#define LARGEST_HALF_TURN 1.0f

typedef struct rigid_way {
  cloth_vector centre, shift, half_turn; /* half_turn: b */
  float share;                           /* 2 / (1 + b^2) */
} rigid_way;

/* The way of a block of particles at x. */
CLOTH_INLINE lanes3 rigid_way_of_block(const rigid_way *m, lanes3 x) {
  const lanes3 b = lanes3_splat(m->half_turn), r = lanes3_subtract(x, lanes3_splat(m->centre));
  const lanes3 once = lanes3_cross(b, r);
  const lanes3 turned = lanes3_scale(lanes3_add(once, lanes3_cross(b, once)), lanes_splat(m->share));
  return lanes3_add(lanes3_splat(m->shift), turned);
}

/* b of the moment. */
CLOTH_ONCE cloth_vector half_turn_of(const inertia_sums *t, cloth_vector moment) {
  const inertia_tensor inertia = tensor_of_inertia(t);
  const cloth_vector q = t->part[ARMS], o = t->part[ARMS + 1];
  cloth_vector b = vector_scale(turn_by_moment(&inertia, moment), 0.5f);
  for (int32_t n = 0; n < TURN_STEPS; n++) {
    clamp_length(&b, LARGEST_HALF_TURN);
    const cloth_vector sb =
        vector(q.x * b.x + o.z * b.y + o.y * b.z, o.z * b.x + q.y * b.y + o.x * b.z, o.y * b.x + o.x * b.y + q.z * b.z);
    const cloth_vector ib = vector_subtract(vector_scale(b, q.x + q.y + q.z), sb);
    const cloth_vector wanted = vector_scale(moment, 0.5f * (1.0f + vector_dot(b, b)));
    const cloth_vector left = vector_subtract(vector_add(wanted, vector_cross(b, vector_flush_work(sb))), ib);
    b = vector_add(b, turn_by_moment(&inertia, left));
  }
  clamp_length(&b, LARGEST_HALF_TURN);
  return b;
}

/* The momenta of all members with the ways `bent`. */
CLOTH_ONCE momenta momenta_of_members(const solve_group *s, cloth_vector centre) {
  momenta sum = {vector(0.0f, 0.0f, 0.0f), vector(0.0f, 0.0f, 0.0f)};
  EACH_MEMBER(s, m, {
    const momenta moved = momenta_of_ways(m->c, arrays_of(m->c), centre);
    add_weighted(&sum.linear, moved.linear, mass_weight(s, m));
    add_weighted(&sum.angular, moved.angular, mass_weight(s, m));
  });
  return sum;
}

/* The motion as a whole of cloths with the ways `bent`: none of cloth that is held, or touches a collider. */
CLOTH_SEPARATE rigid_way rigid_part(const solve_group *s) {
  const common_ways confined = ways_of_confined(s->members->c);
  rigid_way whole;
  int may_move = 1;
  fill_zero(&whole, sizeof whole);
  EACH_MEMBER(s, m, may_move &= is_free_piece(m->c) && !meets_colliders(m->c));
  if (!may_move && (s->joints || confined.kind == WAYS_NONE)) { return whole; }
  float mass;
  const common_motion about = {.centre = centre_of_members(s, LABEL_ALL, 0, &mass)};
  const momenta sum = momenta_of_members(s, about.centre);
  const cloth_vector per_mass = vector_scale(sum.linear, 1.0f / maximum(mass, WORK_QUANTUM));
  whole.centre = about.centre;
  if (!may_move) { /* it does not turn */
    whole.shift = along_ways(&confined, per_mass);
    return whole;
  }
  inertia_sums inertia;
  find_inertia_of_members(s, LABEL_ALL, &about, 0, &inertia);
  whole.shift = tensor_apply(shift_tensor(&inertia, mass), per_mass);
  whole.half_turn = half_turn_of(&inertia, sum.angular);
  whole.share = 2.0f / (1.0f + vector_dot(whole.half_turn, whole.half_turn));
  return whole;
}
