#pragma once
#include "../terms/bounds.h"
#include "stitches.h"

/// Particles that are sewn together ///

/*
 * Particles that are sewn together are one unknown: with S from the unknowns to all particles, y = S u, the equation of
 * the cloths is S^T A S u = S^T b. A filter makes it so around the passes over each cloth alone:
 *
 *   residual, product  the sum S^T r of each unknown is shared out again, R^T S^T r, with R = diag(S^T M)^-1 S^T M, the
 *                      means by mass M: so r . P r is that of the preconditioner R P R^T, which is symmetric
 *   direction          u = R (P R^T S^T r) + beta u, and p = S u
 *
 * A particle between two others, x_s = (1 - t) x_p + t x_q, has the shares 1 - t and t of both unknowns.
 *
 * As a part of a substep begins, each root gets the momentum of what moves with it. The last of a gap closes by the
 * speed of the group: what is left of it is the offset of a particle to its roots. A wider one is a spring
 * (seam_springs.h) whose length at rest falls by that speed. One particle that is held holds all that are sewn to it;
 * two that are held stay where they are. At the end particles are exactly where their roots are.
 *
 * In: stitches, positions, velocities, diagonals. Out: the same, filtered arrays, in the memory of the group.
 */

/// Unknowns ///

/* The first of the class of a sewn particle: of all that are one with it, sewn one to one and closed. */
static sewn_particle *class_of(const sewing *s, int32_t n) {
  while (s->particles[n].first != n) {
    n = s->particles[n].first;
  }
  return &s->particles[n];
}

static cloth_vector stitch_gap(const sewing *s, const stitch *t) {
  const cloth_vector from = s->particles[t->particle[0]].start, to = s->particles[t->particle[1]].start;
  const cloth_vector gap = vector_flush_state(vector_subtract(from, to));
  if (!(t->share > 0.0f)) { return gap; }
  const cloth_vector between = vector_flush_state(vector_subtract(s->particles[t->particle[2]].start, to));
  return vector_flush_state(vector_add_scaled(gap, between, negate(t->share)));
}

/* Gaps over the spacing below which what is sewn is one unknown; wider ones are springs, which give way. */
#define CLOSED_GAP 0.05f

static int is_open_stitch(const sewing *s, const stitch *t) {
  const grid_shape *a = &s->cloths[s->particles[t->particle[0]].cloth]->grid;
  const grid_shape *b = &s->cloths[s->particles[t->particle[1]].cloth]->grid;
  const float spacing = minimum(minimum(a->spacing_warp, a->spacing_weft), minimum(b->spacing_warp, b->spacing_weft));
  return vector_length(stitch_gap(s, t)) > CLOSED_GAP * spacing;
}

/* 1 if the class of the particle of a stitch can move with those it is sewn between: with nothing else yet. */
static int may_move_with(const sewing *s, const stitch *t) {
  const sewn_particle *first = class_of(s, t->particle[0]);
  int may = first->followers == 0 && !first->is_held && first == &s->particles[first->root[0]];
  for (int32_t k = 1; k < 3; k++) {
    const sewn_particle *to = class_of(s, t->particle[k]);
    may &= to != first && to == &s->particles[to->root[0]];
  }
  return may;
}

static void move_with(const sewing *s, const stitch *t) {
  sewn_particle *first = class_of(s, t->particle[0]);
  for (int32_t k = 0; k < 2; k++) {
    first->root[k] = (int32_t)(class_of(s, t->particle[k + 1]) - s->particles);
    s->particles[first->root[k]].followers++;
  }
  first->share = t->share;
}

/* The part of a sewn particle in root k of its roots. */
static float part_in_root(const sewn_particle *p, int32_t k) {
  return k ? p->share : 1.0f - p->share;
}

static void sum_masses(const sewing *s) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    const sewn_particle *p = &s->particles[n];
    for (int32_t k = 0; k < 2; k++) {
      s->particles[p->root[k]].total += part_in_root(p, k) * p->mass;
    }
  }
  for (int32_t n = 0; n < s->particle_count; n++) {
    sewn_particle *p = &s->particles[n];
    for (int32_t k = 0; k < 2; k++) {
      p->part[k] = part_in_root(p, k) * p->mass / s->particles[p->root[k]].total;
    }
  }
}

/* Finds which stitches are closed, and the classes of what they make one. */
static void find_classes(sewing *s) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    sewn_particle *p = &s->particles[n];
    const cloth *c = s->cloths[p->cloth];
    p->start = vector_load(vectors_at(c, c->state.position), p->particle);
    p->first = n;
  }
  for (int32_t n = 0; n < s->stitch_count; n++) {
    stitch *t = &s->stitches[n];
    t->is_spring = is_open_stitch(s, t);
    if (!t->is_spring && !(t->share > 0.0f)) {
      sewn_particle *a = class_of(s, t->particle[0]), *b = class_of(s, t->particle[1]), *later = a > b ? a : b;
      later->first = (int32_t)((a > b ? b : a) - s->particles);
    }
  }
  for (int32_t n = 0; n < s->particle_count; n++) {
    sewn_particle *p = &s->particles[n];
    p->first = (int32_t)(class_of(s, n) - s->particles);
    p->mass = mass_of_particle(s->cloths[p->cloth], p->particle);
    class_of(s, n)->is_held |= is_told(s->cloths[p->cloth], p->particle);
  }
}

/* Finds the unknowns of all sewn particles, and their masses. */
CLOTH_SEPARATE void make_unknowns(sewing *s) {
  find_classes(s);
  for (int32_t n = 0; n < s->stitch_count; n++) {
    stitch *t = &s->stitches[n];
    t->is_spring |= t->share > 0.0f && !may_move_with(s, t);
    if (t->share > 0.0f && !t->is_spring) { move_with(s, t); }
  }
  for (int32_t n = 0; n < s->particle_count; n++) {
    sewn_particle *p = &s->particles[n];
    const sewn_particle *first = class_of(s, n);
    const int is_alone = first == &s->particles[first->root[0]];
    p->root[0] = is_alone ? p->first : first->root[0];
    p->root[1] = is_alone ? p->root[0] : first->root[1];
    p->share = first->share;
  }
  sum_masses(s);
}

/* Runs statements for the sewn particles `p` of a part of the group, with their cloths. */
#define EACH_SEWN(s, group_part, p, c, ...)                                                                            \
  for (sewn_particle *p = (s)->particles, *p##_end = p + (s)->particle_count; p < p##_end; p++) {                      \
    const cloth *c = (s)->cloths[p->cloth];                                                                            \
    if ((s)->part[p->cloth] == (group_part)) { __VA_ARGS__; }                                                          \
    (void)c;                                                                                                           \
  }

/* The same of those that nothing holds. */
#define EACH_FREE_SEWN(s, group_part, p, c, ...)                                                                       \
  EACH_SEWN(s, group_part, p, c, {                                                                                     \
    if (!holder_of(s, p)) { __VA_ARGS__; }                                                                             \
  })

/* What the roots of a sewn particle give it of their vectors `field`. */
#define FROM_ROOTS(s, p, field)                                                                                        \
  ((p)->share > 0.0f                                                                                                   \
       ? vector_add_scaled(vector_scale(vector_flush_work((s)->particles[(p)->root[0]].field), 1.0f - (p)->share),     \
                           vector_flush_work((s)->particles[(p)->root[1]].field), (p)->share)                          \
       : (s)->particles[(p)->root[0]].field)

/* The first of the class of a sewn particle, once classes are found. */
static sewn_particle *first_of(const sewing *s, const sewn_particle *p) {
  return &s->particles[p->first];
}

/* What holds the class of a sewn particle; NULL without. */
static const sewn_particle *holder_of(const sewing *s, const sewn_particle *p) {
  const int32_t holder = first_of(s, p)->holder;
  return holder < 0 ? NULL : &s->particles[holder];
}

static void add_to_roots(const sewing *s, const sewn_particle *p, cloth_vector v, const float part[2]) {
  v = vector_flush_work(v);
  for (int32_t k = 0; k < (p->share > 0.0f ? 2 : 1); k++) {
    sewn_particle *root = &s->particles[p->root[k]];
    root->sum = vector_add_scaled(root->sum, v, part[k]);
  }
}

static void clear_sums(const sewing *s) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    s->particles[n].sum = vector(0.0f, 0.0f, 0.0f);
  }
}

/// The start of a part of a substep ///

/* Takes positions, velocities and what is held, and finds how far classes are open. */
CLOTH_SEPARATE void take_sewn(sewing *s, int32_t part) {
  EACH_SEWN(s, part, p, c, {
    p->start = vector_load(vectors_at(c, c->state.position), p->particle);
    p->velocity = vector_load(vectors_at(c, c->state.velocity), p->particle);
    p->is_held = !(*own_at(floats_at(c, c->scratch.diagonal), 1, p->place, 0) > 0.0f);
    p->holder = -1;
    p->open = 0.0f;
  });
  EACH_SEWN(s, part, p, c, {
    sewn_particle *first = first_of(s, p);
    first->holder = p->is_held && first->holder < 0 ? (int32_t)(p - s->particles) : first->holder;
  });
  for (int32_t n = 0; n < s->stitch_count; n++) {
    const stitch *t = &s->stitches[n];
    if (!t->is_spring && s->part[s->particles[t->particle[0]].cloth] == part) {
      sewn_particle *first = class_of(s, t->particle[0]);
      first->open = maximum(first->open, vector_length(stitch_gap(s, t)));
    }
  }
}

/* The gap of a particle to its roots, or to what holds it, as the part begins. */
static cloth_vector own_gap(const sewing *s, const sewn_particle *p) {
  const sewn_particle *holder = holder_of(s, p);
  return vector_flush_state(vector_subtract(p->start, holder ? holder->start : FROM_ROOTS(s, p, start)));
}

/* The velocity of that gap: it closes to the offset. */
static cloth_vector closing_of(const sewing *s, const sewn_particle *p, float inverse_h) {
  const cloth_vector way = vector_subtract(p->offset, own_gap(s, p));
  return vector_scale_work(vector_flush_state(way), inverse_h);
}

/* What is left of all gaps at the end of a part of h seconds: of each the same share as of the longest of its class. */
static void aim_sewn(const sewing *s, int32_t part, float h) {
  const float way = s->speed * h;
  EACH_SEWN(s, part, p, c, {
    const float open = first_of(s, p)->open, left = open > way ? 1.0f - way / open : 0.0f;
    p->offset = vector_flush_state(vector_scale(own_gap(s, p), left));
  });
}

/* Runs statements for the springs `f` of stitches `t` of a part of the group. */
#define EACH_LOOSE_STITCH(s, group_part, f, t, ...)                                                                    \
  for (int32_t t##_number = 0, f##_number = (s)->fold_count; t##_number < (s)->stitch_count; t##_number++) {           \
    const stitch *t = &(s)->stitches[t##_number];                                                                      \
    seam_spring *f = &(s)->springs[f##_number];                                                                        \
    f##_number += t->is_spring;                                                                                        \
    if (t->is_spring && (s)->part[(s)->particles[t->particle[0]].cloth] == (group_part)) { __VA_ARGS__; }              \
  }

/* The lengths at rest of springs of stitches at the end of a part of h seconds, which fall. */
static void aim_stitches(const sewing *s, int32_t part, float h) {
  EACH_LOOSE_STITCH(s, part, f, t, {
    const cloth_vector gap = stitch_gap(s, t);
    const float length = vector_length(gap);
    f->open = minimum(f->open, length);
    const float rest = maximum(f->open - s->speed * h, 0.0f);
    f->rest = length > 0.0f ? vector_scale_work(gap, rest / length) : gap;
  });
}

/* Leads a particle to the one that holds it. */
static void lead_sewn(const sewing *s, sewn_particle *p, float inverse_h) {
  const cloth *c = s->cloths[p->cloth];
  const cloth_vector closing = closing_of(s, p, inverse_h);
  p->velocity = vector_flush_state(vector_add(holder_of(s, p)->velocity, closing));
  vector_store(vectors_at(c, c->state.velocity), p->particle, p->velocity);
  *own_at(floats_at(c, c->scratch.diagonal), 1, p->place, 0) = 0.0f;
  workspace_of(c)->diagonal_changed = 1;
}

/* What the velocities of particles differ from those of their roots by, less the closing of their gaps, goes to these
   by masses; particles then have those of their roots. */
static void join_velocities(const sewing *s, int32_t part, float inverse_h) {
  clear_sums(s);
  EACH_FREE_SEWN(s, part, p, c, {
    const cloth_vector with_roots = vector_add(FROM_ROOTS(s, p, velocity), closing_of(s, p, inverse_h));
    add_to_roots(s, p, vector_subtract(p->velocity, with_roots), p->part);
  });
  EACH_FREE_SEWN(s, part, p, c, p->velocity = vector_add(p->velocity, p->sum)); /* only roots have sums */
  EACH_FREE_SEWN(s, part, p, c, {
    const cloth_vector to = vector_add(FROM_ROOTS(s, p, velocity), closing_of(s, p, inverse_h));
    vector_store(vectors_at(c, c->state.velocity), p->particle, vector_flush_state(to));
  });
}

/* Adds the angular momentum of what is sewn, times a sign, to that by which meeting changes it. */
static void add_moments(sewing *s, int32_t part, float sign) {
  EACH_SEWN(s, part, p, c, {
    const cloth_vector v = vector_load(vectors_at(c, c->state.velocity), p->particle);
    const cloth_vector moment = vector_flush_work(vector_cross(vector_flush_work(p->start), vector_scale(v, p->mass)));
    s->moment[part] = vector_add_scaled(s->moment[part], moment, sign);
  });
}

/* Before the prediction: velocities meet, and what is held leads what is sewn to it. */
CLOTH_SEPARATE void meet_sewn(sewing *s, int32_t part, const substep_terms *t) {
  take_sewn(s, part);
  aim_sewn(s, part, t->h);
  aim_stitches(s, part, t->h);
  EACH_SEWN(s, part, p, c, {
    if (holder_of(s, p) && !p->is_held) { lead_sewn(s, p, t->inverse_h); }
  });
  add_moments(s, part, -1.0f);
  join_velocities(s, part, t->inverse_h);
  add_moments(s, part, 1.0f);
}

/* 1 if a class of the part was open as it began. */
static int are_sewn_open(const sewing *s, int32_t part) {
  int are = 0;
  EACH_SEWN(s, part, p, c, are |= p->open > 0.0f);
  return are;
}

static void store_near(const solve_arrays *a, float *array, int32_t place, cloth_vector v) {
  near_vector_store(array, a->plane, place, v);
  if (a->is_ring) { close_ring(near_row(array, a->pitch, place / a->pitch), a->plane, a->columns); }
}

/* After the prediction: particles are linearised where their roots are, as far as they are not open. */
CLOTH_SEPARATE void place_sewn(const sewing *s, int32_t part) {
  EACH_SEWN(s, part, p, c, {
    const solve_arrays *a = arrays_of(c);
    p->sum = near_vector(a->place, a->plane, p->place);
  });
  EACH_FREE_SEWN(s, part, p, c, {
    const solve_arrays *a = arrays_of(c);
    const cloth_vector here = p->sum, to = vector_flush_state(vector_add(FROM_ROOTS(s, p, sum), p->offset));
    if (to.x == here.x && to.y == here.y && to.z == here.z) { continue; }
    store_near(a, a->place, p->place, to);
    store_near(a, a->direction, p->place, vector_flush_work(vector_subtract(to, p->start)));
  });
}

/// The filter ///

/* Of residual or product. */
CLOTH_SEPARATE void join_own(const sewing *s, int32_t part, int is_product) {
  clear_sums(s);
  EACH_FREE_SEWN(s, part, p, c, {
    float *array = floats_at(c, is_product ? c->scratch.product : c->scratch.residual);
    const float parts[2] = {part_in_root(p, 0), part_in_root(p, 1)}, scale = s->scale[part] / s->scale[p->cloth];
    add_to_roots(s, p, vector_scale(own_vector(array, p->place), scale), parts);
  });
  EACH_FREE_SEWN(s, part, p, c, {
    float *array = floats_at(c, is_product ? c->scratch.product : c->scratch.residual);
    const float scale = s->scale[p->cloth] / s->scale[part];
    cloth_vector own = vector(0.0f, 0.0f, 0.0f);
    for (int32_t k = 0; k < (p->share > 0.0f ? 2 : 1); k++) {
      const sewn_particle *root = &s->particles[p->root[k]];
      if (!holder_of(s, root)) { own = vector_add_scaled(own, vector_flush_work(root->sum), p->part[k] * scale); }
    }
    own_vector_store(array, p->place, vector_flush_work(own));
  });
}

/* The direction, z + beta p of each particle alone, becomes that of the unknowns. */
CLOTH_SEPARATE void join_direction(const sewing *s, int32_t part, float beta, int32_t again) {
  clear_sums(s);
  EACH_SEWN(s, part, p, c, {
    const solve_arrays *a = arrays_of(c);
    cloth_vector z = near_vector(a->direction, a->plane, p->place);
    if (again) { z = vector_add_scaled(z, vector_flush_work(FROM_ROOTS(s, p, direction)), negate(beta)); }
    add_to_roots(s, p, z, p->part);
  });
  EACH_SEWN(s, part, p, c, {
    const cloth_vector last = again ? vector_scale(p->direction, beta) : vector(0.0f, 0.0f, 0.0f);
    p->direction = holder_of(s, p) ? vector(0.0f, 0.0f, 0.0f) : vector_flush_work(vector_add(p->sum, last));
  });
  EACH_FREE_SEWN(s, part, p, c, {
    const solve_arrays *a = arrays_of(c);
    store_near(a, a->direction, p->place, vector_quantise(FROM_ROOTS(s, p, direction), WORK_ROUNDER));
  });
}

/* Where particles have been solved for on their own: the solutions of what is sewn together become one, by masses. */
CLOTH_SEPARATE void join_solutions(const sewing *s, int32_t part) {
  clear_sums(s);
  EACH_SEWN(s, part, p, c, p->direction = own_vector(floats_at(c, c->scratch.solution), p->place));
  EACH_FREE_SEWN(s, part, p, c,
                 { add_to_roots(s, p, vector_subtract(p->direction, FROM_ROOTS(s, p, direction)), p->part); });
  EACH_SEWN(s, part, p, c, p->direction = vector_add(p->direction, p->sum));
  EACH_FREE_SEWN(s, part, p, c, {
    own_vector_store(floats_at(c, c->scratch.solution), p->place, vector_flush_work(FROM_ROOTS(s, p, direction)));
  });
}

/// The end of a part of a substep ///

/* The new positions of what is sewn together are one, by masses: what contact has moved in one cloth alone. */
static void join_positions(const sewing *s, int32_t part) {
  clear_sums(s);
  EACH_FREE_SEWN(s, part, p, c, {
    const cloth_vector with_roots = vector_add(FROM_ROOTS(s, p, direction), p->offset);
    add_to_roots(s, p, vector_flush_state(vector_subtract(p->direction, with_roots)), p->part);
  });
  EACH_SEWN(s, part, p, c, {
    const sewn_particle *holder = holder_of(s, p);
    p->direction = vector_flush_state(vector_add(p->direction, p->sum)); /* only roots have sums */
    if (holder && !p->is_held) { p->direction = vector_flush_state(vector_add(holder->direction, p->offset)); }
  });
  EACH_SEWN(s, part, p, c, {
    const cloth_vector with_roots = vector_flush_state(vector_add(FROM_ROOTS(s, p, direction), p->offset));
    vector_store(vectors_at(c, c->state.position), p->particle, holder_of(s, p) ? p->direction : with_roots);
  });
}

/* After the new positions have been accepted: all are exactly where their roots are, or what holds them. */
CLOTH_SEPARATE void settle_sewn(sewing *s, int32_t part, float inverse_h) {
  s->moment[part] = vector(0.0f, 0.0f, 0.0f);
  const float way = s->speed * (1.0f / inverse_h);
  EACH_LOOSE_STITCH(s, part, f, t, f->open = maximum(f->open - way, 0.0f));
  EACH_SEWN(s, part, p, c, {
    p->direction = vector_load(vectors_at(c, c->state.position), p->particle);
    p->velocity = vector_load(vectors_at(c, c->state.velocity), p->particle);
  });
  join_positions(s, part);
  join_velocities(s, part, inverse_h);
}
