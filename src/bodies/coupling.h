#pragma once
#include "../cloth/members.h"
#include "../contact/cell_memory.h"
#include "../contact/element.h"
#include "../contact/points.h"
#include "../contact/press.h"
#include "../contact/touch.h"
#include "bodies.h"

/// Bodies in the equation ///

/*
 * A contact, or an attachment, of a particle with a body of mass M and inertia I has the relative displacement
 *
 *   J y = y_i - G Y,  G Y = Y + theta x arm,  arm from the body's centre to the particle
 *
 * and force and block F and K, that on the body are -G^T F and G^T K G. Its own block, which is eliminated exactly
 * (Schur complement), so that the solve has A - A_pb B^-1 A_bp with A_pb = - sum K G, is
 *
 *   B = s / m0 diag(M, I) + sum G^T K G + rolling
 *
 * Rolling: what presses a body onto cloth makes it turn with more effort, k_r Omega with k_r = ROLLING T sum of lambda
 * / (h (|Omega| + ROLLING_SPIN)). In: touches, attachments, bodies. Out: unknowns, residual, product.
 */

/* Lever of the resistance to rolling, in thicknesses, and the spin below which it is viscous [rad/s]. */
#define ROLLING 0.3f
#define ROLLING_SPIN 0.1f
/* Least pivot of a body's block, over its own entry. */
#define LEAST_BODY_PIVOT 1.0e-6f
/* Stiffness of an attachment over the k' of stretch and the share of the substep. */
#define ATTACHED_STIFFNESS 4.0f

/* Packed place of an entry on or below the diagonal. */
static int32_t body_entry(int32_t row, int32_t column) {
  return row * (row + 1) / 2 + column;
}

/* Adds a 3 x 3 block: to the rows `row` on, the columns `column` on; with row == column its lower half. */
static void add_body_block(body_unknown *u, int32_t row, int32_t column, const cloth_vector columns[3]) {
  for (int32_t i = 0; i < 3; i++) {
    for (int32_t j = 0; j < 3 && (row > column || j <= i); j++) {
      u->factor[body_entry(row + i, column + j)] += component(columns[j], i);
    }
  }
}

/* A contact of one point of a cloth: K = across I + (along - across) n n^T. */
typedef struct body_contact {
  cloth_vector normal, arm, force; /* force: on the point, at the place of linearisation */
  cloth_vector offset;             /* of attachments: from the point of the body to the particle, there */
  float along, across;
  int32_t count, place[3]; /* of particles that move, and with them the point ... */
  float weight[3];         /* ... in these shares; not of touches, whose lanes are particles */
} body_contact;

/* The mass of a body over the reference mass, times the share of the substep. */
static float body_mass_ratio(const substep_terms *t, const rigid_body *b) {
  return t->scale * t->inverse_h * t->inverse_h * b->mass;
}

CLOTH_SEPARATE void add_body_contact(body_unknown *u, const body_contact *e) {
  const cloth_vector n = vector_flush_work(e->normal), arm = vector_flush_work(e->arm);
  cloth_vector block[3], moments[3], turns[3];
  u->joins = 1;
  for (int32_t j = 0; j < 3; j++) {
    const cloth_vector across = along_axis(j, e->across);
    block[j] = vector_flush_work(vector_add_scaled(across, n, (e->along - e->across) * component(n, j)));
    moments[j] = vector_flush_work(vector_cross(arm, block[j]));
  }
  for (int32_t j = 0; j < 3; j++) { /* symmetric: row j is column j */
    const cloth_vector row = vector(component(moments[0], j), component(moments[1], j), component(moments[2], j));
    turns[j] = vector_flush_work(vector_cross(arm, row));
  }
  add_body_block(u, 0, 0, block);
  add_body_block(u, 3, 0, moments);
  add_body_block(u, 3, 3, turns);
  const cloth_vector force = vector_scale(vector_flush_work(e->force), -1.0f), moment = vector_cross(arm, force);
  for (int32_t k = 0; k < 3; k++) {
    u->residual[k] += component(force, k);
    u->residual[3 + k] += component(moment, k);
  }
}

/* Begins the block and the residual of a body with its own: inertia, gravity, rolling. */
static void start_body_block(const cloth *c, const substep_terms *t, const rigid_body *b, body_unknown *u) {
  const float mass = body_mass_ratio(t, b), per = mass / b->mass;
  cloth_vector turns[3];
  fill_zero(u->factor, sizeof u->factor);
  fill_zero(u->residual, sizeof u->residual);
  if (u->leader) { return; } /* where its own stands */
  const float pressed = flush_work(lanes_sum_total(&u->pressed));
  const float speed = vector_length(u->spin), lever = ROLLING * contact_thickness(c);
  const float rolling = lever * pressed / (t->h * (speed + ROLLING_SPIN));
  for (int32_t j = 0; j < 3; j++) {
    const cloth_vector unit = along_axis(j, 1.0f);
    turns[j] = vector_scale(apply_inertia(b->inertia, u->end.rotation, unit, 0), per);
    turns[j] = vector_flush_work(vector_add_scaled(turns[j], unit, rolling));
    u->factor[body_entry(j, j)] = mass;
  }
  add_body_block(u, 3, 3, turns);
  const cloth_vector weight = vector_scale(inputs_of(c)->gravity, mass * t->h * t->h * b->gravity);
  const cloth_vector slower = vector_scale(vector_flush_work(u->spin), negate(rolling * t->h));
  for (int32_t n = 0; n < 3; n++) {
    u->residual[n] = component(weight, n);
    u->residual[3 + n] = component(slower, n);
  }
}

/* Factors the block of a body; inverses of the pivots' roots take the place of the diagonal. */
static void factor_body(body_unknown *u) {
  for (int32_t i = 0; i < BODY_UNKNOWNS; i++) {
    for (int32_t j = 0; j <= i; j++) {
      float *entry = &u->factor[body_entry(i, j)], left = u->turns || i < 3 ? *entry : (float)(i == j);
      const float least = LEAST_BODY_PIVOT * left;
      for (int32_t k = 0; k < j && (u->turns || i < 3); k++) {
        left -= u->factor[body_entry(i, k)] * u->factor[body_entry(j, k)];
      }
      *entry = i == j ? 1.0f / square_root(maximum(left, maximum(least, WORK_QUANTUM)))
                      : flush_work(left * u->factor[body_entry(j, j)]);
    }
  }
}

/* x = sign B^-1 b of a body. */
static void solve_body(const body_unknown *u, const float b[BODY_UNKNOWNS], float x[BODY_UNKNOWNS], float sign) {
  for (int32_t i = 0; i < BODY_UNKNOWNS; i++) {
    float left = u->turns || i < 3 ? sign * b[i] : 0.0f;
    for (int32_t k = 0; k < i; k++) {
      left -= u->factor[body_entry(i, k)] * x[k];
    }
    x[i] = flush_work(left * u->factor[body_entry(i, i)]);
  }
  for (int32_t i = BODY_UNKNOWNS - 1; i >= 0; i--) {
    float left = x[i];
    for (int32_t k = i + 1; k < BODY_UNKNOWNS; k++) {
      left -= u->factor[body_entry(k, i)] * x[k];
    }
    x[i] = flush_work(left * u->factor[body_entry(i, i)]);
  }
}

/* Where lanes `k` of a touch are, from the centre of a body. */
CLOTH_INLINE lanes3 arms_of_touch(const solve_arrays *a, const touch *e, int32_t k, const body_unknown *u) {
  return lanes3_flush(lanes3_subtract(near_at_touch(a, a->place, e, k), lanes3_splat(u->centre)));
}

/* G y of lanes whose arms are known; y: unknowns of a body. */
CLOTH_INLINE lanes3 carried(const float *y, lanes3 arm) {
  const lanes3 turned = lanes3_cross(lanes3_splat(vector(y[3], y[4], y[5])), arm);
  return lanes3_flush(lanes3_add(lanes3_splat(vector(y[0], y[1], y[2])), turned));
}

static cloth_vector carried_point(const float *y, cloth_vector arm) {
  return vector_add(vector(y[0], y[1], y[2]), vector_cross(vector(y[3], y[4], y[5]), arm));
}

/* K v of lanes `k` of a touch. */
CLOTH_INLINE lanes3 touch_product(const touch *e, int32_t k, lanes3 v) {
  const lanes along = touch_load(e, TOUCH_ALONG, k), across = touch_load(e, TOUCH_ACROSS, k);
  return contact_product(touch_vector(e, TOUCH_NORMAL, k), along, across, v);
}

/* Adds the contacts of lanes `k` of a touch to the block of a body. */
CLOTH_SEPARATE void add_touch_to_body(const solve_arrays *a, const touch *e, int32_t k, body_unknown *u) {
  float normal[3][CLOTH_LANES], arm[3][CLOTH_LANES], force[3][CLOTH_LANES];
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  lanes3_store(VECTORS_OF(normal), 0, touch_vector(e, TOUCH_NORMAL, k), CLOTH_LANES);
  lanes3_store(VECTORS_OF(arm), 0, arms_of_touch(a, e, k, u), CLOTH_LANES);
  lanes3_store(VECTORS_OF(force), 0, touch_force(e, k, none), CLOTH_LANES);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const body_contact contact = {.normal = vector_load(VECTORS_OF(normal), lane),
                                  .arm = vector_load(VECTORS_OF(arm), lane),
                                  .force = vector_load(VECTORS_OF(force), lane),
                                  .along = e->value[TOUCH_ALONG][k + lane],
                                  .across = e->value[TOUCH_ACROSS][k + lane]};
    if (contact.along > 0.0f || contact.across > 0.0f) { add_body_contact(u, &contact); }
  }
}

/* Runs a statement for the lanes of all touches of a body. */
#define EACH_BODY_TOUCH(c, u, e, k, ...)                                                                               \
  EACH_TOUCH(c, e, {                                                                                                   \
    if (e->collider == (u)->collider) { EACH_TOUCH_LANES(e, (c)->grid.columns, k, __VA_ARGS__); }                      \
  })

/* An attachment to a body as a contact that is as stiff in all directions: of a particle with a point that moves with
   the body. */
CLOTH_ONCE void take_attachment(const cloth *c, const substep_terms *t, const attachment *held, const body_unknown *u,
                                body_contact *e) {
  const solve_arrays *a = arrays_of(c);
  const cloth_vector arm = vector_flush_work(rotate(u->end.rotation, held->point));
  const cloth_vector x = near_particle(a, a->place, held->particle);
  const cloth_vector offset = vector_flush_work(vector_subtract(x, vector_add(u->centre, arm)));
  const float stretch = maximum(t->spring[WARP].stiffness, t->spring[WEFT].stiffness);
  const float stiffness = ATTACHED_STIFFNESS * (stretch + t->share);
  *e = (body_contact){.arm = arm,
                      .force = vector_scale(offset, negate(stiffness)),
                      .offset = offset,
                      .along = stiffness,
                      .across = stiffness,
                      .count = 1,
                      .place = {place_of(a, held->particle)},
                      .weight = {1.0f}};
}

/* The touch of a cell as a contact of its point. */
CLOTH_ONCE void take_cell_contact(const cloth *c, const cell_touch *touched, const body_unknown *u, body_contact *e) {
  const solve_arrays *a = arrays_of(c);
  *e = (body_contact){.normal = touched->normal,
                      .arm = arm_of_cell(a, touched, u->centre),
                      .force = cell_force(touched, vector(0.0f, 0.0f, 0.0f)),
                      .along = touched->law.along,
                      .across = touched->law.across};
  EACH_MOVING_CORNER(a, touched, n, i, {
    e->place[e->count] = i;
    e->weight[e->count++] = touched->weight[n];
  });
}

/* K v */
static cloth_vector body_contact_product(const body_contact *e, cloth_vector v) {
  return element_product(e->normal, e->along, e->across, vector_flush_work(v));
}

/* Runs a statement for all attachments `held` to a body, as contacts `e`. */
#define EACH_ATTACHMENT(c, t, u, e, ...)                                                                               \
  for (int32_t attached = 0; attached < inputs_of(c)->attachment_count; attached++) {                                  \
    const attachment *held = &attachments_of(c)[attached];                                                             \
    if (held->collider == (u)->collider) {                                                                             \
      body_contact e;                                                                                                  \
      take_attachment(c, t, held, u, &e);                                                                              \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
  }

/* Contact number `n` with points of a cloth, first of cells, then of attachments: 0 if it is not of a body, or of a
   cell that has no block. */
static int find_body_point(const cloth *c, const substep_terms *t, const body_unknown *u, int32_t n, body_contact *e) {
  const int32_t cells = workspace_of(c)->cells;
  if (n < cells) {
    const cell_touch *touched = cell_touches_of(c) + n;
    if (touched->collider != u->collider || !has_block(&touched->law)) { return 0; }
    take_cell_contact(c, touched, u, e);
    return 1;
  }
  const attachment *held = &attachments_of(c)[n - cells];
  if (held->collider != u->collider) { return 0; }
  take_attachment(c, t, held, u, e);
  return 1;
}

/* Runs a statement for contacts `e` of a body with points. */
#define EACH_BODY_POINT(c, t, u, e, ...)                                                                               \
  for (int32_t point = 0; point < workspace_of(c)->cells + inputs_of(c)->attachment_count; point++) {                  \
    body_contact e;                                                                                                    \
    if (find_body_point(c, t, u, point, &e)) { __VA_ARGS__; }                                                          \
  }

/* Adds the block and force of attachments on the particles alone. Returns 1 if there are any. */
CLOTH_SEPARATE int32_t add_attachments(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  int32_t any = 0;
  for (int32_t n = 0; n < body_count_of(c); n++) {
    EACH_ATTACHMENT(c, t, &body_unknowns_of(c)[n], e, {
      any = 1;
      *own_at(a->diagonal, 1, e.place[0], 0) += e.along;
      add_to_own(a->residual, e.place[0], e.force);
    });
  }
  return any;
}

/* Begins the block and the residual of a body, and adds all of its cloth that touches it. */
CLOTH_ONCE void assemble_body(const cloth *c, const substep_terms *t, const rigid_body *b, body_unknown *u) {
  const solve_arrays *a = arrays_of(c);
  start_body_block(c, t, b, u);
  EACH_BODY_TOUCH(c, u, e, k, add_touch_to_body(a, e, k, u));
  EACH_BODY_POINT(c, t, u, e, add_body_contact(u, &e));
}

/* Adds floats of a body in one cloth to those `to` of the cloth which leads. */
static void lead_floats(const body_unknown *u, float *to, const float *from, int32_t count) {
  for (int32_t n = 0; n < count; n++) {
    to[n] += u->ratio * from[n];
  }
}

/* Runs statements for all bodies `u` of all members `m`. */
#define EACH_UNKNOWN(s, m, u, ...)                                                                                     \
  EACH_MEMBER(                                                                                                         \
      s, m, for (int32_t body_number = 0; body_number < body_count_of(m->c); body_number++) {                          \
        body_unknown *u = &body_unknowns_of(m->c)[body_number];                                                        \
        __VA_ARGS__;                                                                                                   \
      })

/* The same of those that another cloth leads. */
#define EACH_LED(s, m, u, ...)                                                                                         \
  EACH_UNKNOWN(s, m, u, {                                                                                              \
    if (u->leader) { __VA_ARGS__; }                                                                                    \
  })

/* Adds sign K G y of all that touches a body to a vector of the particles, the residual or the product. */
static void add_carried(const cloth *c, const substep_terms *t, const body_unknown *u, const float *y, float *to,
                        float sign) {
  const solve_arrays *a = arrays_of(c);
  const lanes signs = lanes_splat(sign);
  EACH_BODY_TOUCH(c, u, e, k, {
    const lanes3 force = touch_product(e, k, carried(y, arms_of_touch(a, e, k, u)));
    add_at_touch(a, to, e, k, lanes3_scale(force, signs));
  });
  EACH_BODY_POINT(c, t, u, e, {
    const cloth_vector force = body_contact_product(&e, carried_point(y, e.arm));
    for (int32_t n = 0; n < e.count; n++) {
      add_to_own(to, e.place[n], vector_scale(force, sign * e.weight[n]));
    }
  });
}

/* Begins the solve: bodies move by what acts on them alone, and the particles feel it. */
CLOTH_SEPARATE void start_coupling(const solve_group *s) {
  EACH_LED(s, m, u, lead_floats(u, u->leader->pressed.partial, u->pressed.partial, LANES_SUMS));
  EACH_UNKNOWN(s, m, u, assemble_body(m->c, m->t, &bodies_of(m->c)[body_number], u));
  EACH_LED(s, m, u, {
    lead_floats(u, u->leader->factor, u->factor, BODY_ENTRIES);
    lead_floats(u, u->leader->residual, u->residual, BODY_UNKNOWNS);
    u->leader->joins |= u->joins;
  });
  EACH_UNKNOWN(s, m, u, {
    if (u->leader) {
      copy_memory(u->solution, u->leader->solution, sizeof u->solution);
      u->joins = u->leader->joins;
    } else {
      factor_body(u);
      solve_body(u, u->residual, u->solution, 1.0f);
    }
  });
  EACH_UNKNOWN(s, m, u, add_carried(m->c, m->t, u, u->solution, arrays_of(m->c)->residual, 1.0f));
}

/* A_bp p of a body with the direction p, or with the solution if `takes_solution`. */
static void pull_body(const cloth *c, const substep_terms *t, body_unknown *u, int32_t takes_solution) {
  const solve_arrays *a = arrays_of(c);
  lanes_sum force[3], moment[3];
  fill_zero(force, sizeof force);
  fill_zero(moment, sizeof moment);
  EACH_BODY_TOUCH(c, u, e, k, {
    const lanes3 p = takes_solution ? own_at_touch(a, a->solution, e, k) : near_at_touch(a, a->direction, e, k);
    const lanes3 f = touch_product(e, k, lanes3_flush(p));
    lanes3_sum_add(force, k, f);
    lanes3_sum_add(moment, k, lanes3_cross(arms_of_touch(a, e, k, u), f));
  });
  cloth_vector f = lanes3_sum_total(force), m = lanes3_sum_total(moment);
  EACH_BODY_POINT(c, t, u, e, {
    cloth_vector moved = vector(0.0f, 0.0f, 0.0f);
    for (int32_t n = 0; n < e.count; n++) {
      const int32_t i = e.place[n];
      const cloth_vector v = takes_solution ? own_vector(a->solution, i) : near_vector(a->direction, a->plane, i);
      moved = vector_add_scaled(moved, v, e.weight[n]);
    }
    const cloth_vector pull = body_contact_product(&e, moved);
    f = vector_add(f, pull);
    m = vector_add(m, vector_cross(e.arm, pull));
  });
  for (int32_t n = 0; n < 3; n++) {
    u->pull[n] = negate(flush_work(component(f, n)));
    u->pull[3 + n] = negate(flush_work(component(m, n)));
  }
}

/* P = - B^-1 A_bp p of all bodies. Returns p . A_pb P. */
static float move_bodies(const solve_group *s, int32_t takes_solution) {
  float sum = 0.0f;
  EACH_UNKNOWN(s, m, u, pull_body(m->c, m->t, u, takes_solution));
  EACH_LED(s, m, u, lead_floats(u, u->leader->pull, u->pull, BODY_UNKNOWNS));
  EACH_UNKNOWN(s, m, u, {
    if (u->leader) {
      copy_memory(u->direction, u->leader->direction, sizeof u->direction);
      continue;
    }
    solve_body(u, u->pull, u->direction, -1.0f);
    for (int32_t k = 0; k < BODY_UNKNOWNS; k++) {
      sum += m->weight * (u->pull[k] * u->direction[k]);
    }
  });
  return sum;
}

/* What bodies add to the product with the direction: q += A_pb P unless `is_last`, with P, kept. Returns that of p .
   q. */
CLOTH_SEPARATE float multiply_bodies(const solve_group *s, int32_t is_last) {
  const float sum = move_bodies(s, 0);
  if (!is_last) { EACH_UNKNOWN(s, m, u, add_carried(m->c, m->t, u, u->direction, arrays_of(m->c)->product, -1.0f)); }
  return sum;
}

/* Y += alpha P */
static void advance_bodies(const cloth *c, float alpha) {
  for (int32_t n = 0; n < body_count_of(c); n++) {
    body_unknown *u = &body_unknowns_of(c)[n];
    for (int32_t k = 0; k < BODY_UNKNOWNS; k++) {
      u->solution[k] += alpha * u->direction[k];
    }
  }
}

/* Where particles have been solved for on their own: bodies follow them, Y = B^-1 (r - A_bp y). */
CLOTH_SEPARATE void follow_particles(const solve_group *s) {
  (void)move_bodies(s, 1);
  EACH_MEMBER(s, m, advance_bodies(m->c, 1.0f));
}
