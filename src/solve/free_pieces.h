#pragma once
#include "../cloth/members.h"
#include "../contact/cell_memory.h"
#include "../contact/points.h"
#include "../contact/touch.h"
#include "levels.h"

/// What nothing holds ///

/* Which pieces of cloth nothing holds, or confinements alone that leave them a way, and the common motion that the
   solve starts each from. In: pins, inputs, contacts, residual, the prediction's ways, in direction. Out: residual, the
   start of the solution. Scratch: product, direction. */

/* Runs statements for each block of particles: `i` is its first column in row `row`, `place` where it lies in own
   arrays. */
#define EACH_PLACE(a, row, i, place, ...)                                                                              \
  for (int32_t row = 0; row < (a)->rows; row++) {                                                                      \
    for (int32_t i = 0, place = row * (a)->pitch; i < (a)->columns; i += CLOTH_LANES, place += CLOTH_LANES) {          \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
  }

/* 1 if no particle is pinned, confined or led. */
static int is_unheld(const cloth *c) {
  if (inputs_of(c)->targets != TARGETS_NONE) { return 0; }
  if (has_gaps(c)) {
    int32_t i = next_pin(c, 0);
    while (i < c->count && is_gap(c, i, GAP_PARTICLE)) { /* which are pinned */
      i = next_pin(c, i + 1);
    }
    return i == c->count && inputs_of(c)->confined_count == 0;
  }
  if (inputs_of(c)->attachment_count > 0 && inputs_of(c)->confined_count == 0) { return next_held(c, 0) == c->count; }
  return are_all_free(c);
}

/* 1 if nothing holds the cloth and it is one piece in this substep: each piece has momenta of its own. */
static int is_free_piece(const cloth *c) {
  int32_t pieces = 1;
  if (has_gaps(c)) { pieces = is_torn_cloth(c) ? workspace_of(c)->pieces : gap_summary_of(c)->pieces; }
  return pieces == 1 && is_unheld(c);
}

/* Pieces whose momenta are restored, at most: those whose first particles come first. */
#define MOST_FREE_PIECES 8
/* In place of a label: all of the cloth. */
#define LABEL_ALL (-1)

/* Where a piece may go as a whole: anywhere, in the plane with the normal `axis`, along it, or nowhere. */
typedef enum ways_kind { WAYS_NONE, WAYS_LINE, WAYS_PLANE, WAYS_ALL } ways_kind;
typedef struct common_ways {
  ways_kind kind;
  cloth_vector axis;
} common_ways;

/* The pieces of the cloth that nothing holds, and the common motion that the solve starts each from. */
typedef struct free_pieces {
  int32_t count, label[MOST_FREE_PIECES];
  int32_t has_bodies; /* 1: bodies move along */
  common_ways ways;   /* of each piece */
  cloth_vector motion[MOST_FREE_PIECES];
  float kinetic; /* energy of the pieces that go as the prediction does as a whole */
} free_pieces;

/* The part of a vector along the ways. */
static cloth_vector along_ways(const common_ways *w, cloth_vector a) {
  const cloth_vector along = vector_scale_work(w->axis, flush_work(vector_dot(w->axis, vector_flush_work(a))));
  return w->kind == WAYS_ALL ? a : w->kind == WAYS_PLANE ? vector_subtract(a, along) : along;
}

/* Sine below which directions of confinements count as parallel. */
#define PARALLEL_SINE 1.0e-4f

/* Ways that are left by another confinement. */
static common_ways ways_within(const common_ways *w, const confinement *entry) {
  const int is_line = entry->freedom == FREEDOM_LINE;
  const cloth_vector d = entry->direction, across = vector_cross(w->axis, d);
  const int are_parallel = vector_length(across) < PARALLEL_SINE;
  const int are_right = absolute(vector_dot(w->axis, d)) < PARALLEL_SINE;
  const common_ways none = {WAYS_NONE, {0.0f, 0.0f, 0.0f}}, along = {WAYS_LINE, d};
  switch (w->kind) {
  case WAYS_ALL:
    return (common_ways){is_line ? WAYS_LINE : WAYS_PLANE, d};
  case WAYS_PLANE:
    if (is_line) { return are_right ? along : none; }
    return are_parallel ? *w : (common_ways){WAYS_LINE, unit_or_zero(across)};
  case WAYS_LINE:
    return (is_line ? are_parallel : are_right) ? *w : none;
  default:
    return none;
  }
}

/* The ways of a cloth without gaps that confinements alone hold; none of other cloth. */
CLOTH_SEPARATE common_ways ways_of_confined(const cloth *c) {
  common_ways w = {WAYS_ALL, {0.0f, 0.0f, 0.0f}};
  const int is_held = inputs_of(c)->confined_count == 0 || inputs_of(c)->targets != TARGETS_NONE ||
                      inputs_of(c)->attachment_count > 0 || has_gaps(c) || workspace_of(c)->has_pairs ||
                      meets_colliders(c) || next_held(c, 0) < c->count;
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    w = ways_within(&w, &confined_of(c)[n]);
  }
  w.kind = is_held ? WAYS_NONE : w.kind;
  return w;
}

/* 1 if pieces of the cloth may be free while pins hold others. */
static int may_have_free_pieces(const cloth *c) {
  return inputs_of(c)->targets == TARGETS_NONE && inputs_of(c)->confined_count == 0 && c->settings.tethers.count == 0;
}

static int is_piece_pinned(const cloth *c, int32_t label) {
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    if (labels_of(c)[place_of(arrays_of(c), i)] == label) { return 1; }
  }
  return 0;
}

static void find_free_pieces(const cloth *c, free_pieces *f) {
  for (int32_t i = 0; i < c->count && f->count < MOST_FREE_PIECES; i++) {
    const int32_t place = place_of(arrays_of(c), i);
    if (labels_of(c)[place] == place && !is_piece_pinned(c, place)) { f->label[f->count++] = place; }
  }
}

/* 1 if bodies move along with cloth that nothing else holds: it touches or carries them alone. */
static int moves_bodies(const cloth *c) {
  if (!WITH_BODIES) { return 0; }
  EACH_TOUCH(c, e, {
    if (!find_unknown(c, e->collider)) { return 0; }
  });
  EACH_CELL_TOUCH(c, e, {
    if (!find_unknown(c, e->collider)) { return 0; }
  });
  return meets_colliders(c) || (body_count_of(c) > 0 && inputs_of(c)->attachment_count > 0);
}

static free_pieces free_pieces_of(const cloth *c) {
  free_pieces f;
  fill_zero(&f, sizeof f);
  f.ways.kind = WAYS_ALL;
  f.has_bodies = moves_bodies(c);
  if ((meets_colliders(c) && !f.has_bodies) || workspace_of(c)->has_pairs == PAIRS_HOLD) {
    return f; /* colliders may hold any of them, or cloth that sleeps */
  }
  if (is_in_pieces(c) && !workspace_of(c)->has_pairs) {
    if (!f.has_bodies && may_have_free_pieces(c)) { find_free_pieces(c, &f); }
    return f;
  }
  f.count = is_in_pieces(c) ? is_unheld(c) : is_free_piece(c); /* pieces that push each other are free together */
  f.label[0] = LABEL_ALL;
  if (WITH_CONFINED && inputs_of(c)->confined_count > 0) {
    f.ways = ways_of_confined(c);
    f.count = f.ways.kind != WAYS_NONE;
  }
  return f;
}

/* The arrays of a piece: their diagonal is 0 beside it, and lies in the memory `free`. */
static solve_arrays arrays_of_label(const cloth *c, int32_t label, float *free) {
  solve_arrays a = *arrays_of(c);
  if (WITH_GAPS && label != LABEL_ALL) {
    const int32_t *labels = labels_of(c);
    clear_floats(free, a.pitch * a.rows);
    for (int32_t i = 0; i < c->count; i++) {
      const int32_t place = place_of(&a, i);
      if (labels[place] == label) { *own_at(free, 1, place, 0) = *own_at(a.diagonal, 1, place, 0); }
    }
    a.diagonal = free;
  }
  return a;
}

/* The same in memory that is free between passes. */
static solve_arrays arrays_of_free_piece(const cloth *c, int32_t label) {
  return arrays_of_label(c, label, floats_at(c, c->scratch.product));
}

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

/* The mass ratios of a block of particles: W, where the cloth has them, else 0. */
CLOTH_INLINE lanes mass_ratios(const cloth *c, const solve_arrays *a, int32_t row, int32_t i) {
  const lanes_mask there = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + row * a->pitch + i));
  return lanes_keep(there, mass_ratio_lanes(c, row * a->columns + i));
}

/* What is summed up over a piece: the right-hand side, or the mass ratios times the places or the prediction's ways. */
typedef enum summed_vectors { SUM_RESIDUAL, SUM_PLACES, SUM_WAYS } summed_vectors;

/* The sum over a piece; and that of the mass ratios. */
CLOTH_SEPARATE cloth_vector sum_of_piece(const cloth *c, const solve_arrays *a, summed_vectors of, float *mass) {
  const vector_array x = vectors_at(c, c->state.position);
  vector_sum sum = vector_sum_start();
  row_sum masses = row_sum_start();
  EACH_PLACE(a, row, i, place, {
    const lanes ratio = mass_ratios(c, a, row, i);
    const lanes_mask there = lanes_less(lanes_splat(0.0f), ratio);
    row_sum_add(&masses, i, ratio);
    if (of == SUM_RESIDUAL) {
      vector_sum_add(&sum, i, lanes3_keep(there, own_load(a->residual, place)));
    } else {
      const lanes3 at = of == SUM_PLACES ? lanes3_load(x, row * a->columns + i)
                                         : near_load(near_row(a->direction, a->pitch, row), a->plane, i);
      const lanes3 kept = lanes3_keep(there, at);
      vector_sum_add(&sum, i, lanes3_scale(lanes3_quantise(kept, WORK_ROUNDER), ratio));
    }
  });
  *mass = sum_of(&masses);
  return vector_sum_of(&sum);
}

/* Takes what a motion as a whole needs out of the residual. */
CLOTH_SEPARATE void take_from_residual(const cloth *c, const solve_arrays *a, cloth_vector common) {
  const lanes3 motion = lanes3_splat(common);
  EACH_PLACE(a, row, i, place, {
    const lanes ratio = mass_ratios(c, a, row, i);
    lanes3 taken = lanes3_scale(motion, ratio);
    if (a->air) { /* A u, of which the blocks of the air are part */
      const lanes3 w = own_load(a->air, place);
      const lanes held = lanes_load(a->diagonal + place);
      const lanes3 blown = lanes3_keep(lanes_less(lanes_splat(0.0f), held), lanes3_scale(w, lanes3_dot(w, motion)));
      taken = lanes3_add_scaled(lanes3_add(taken, blown), motion, lanes_subtract(held, ratio));
    }
    own_store(a->residual, place, lanes3_quantise(lanes3_subtract(own_load(a->residual, place), taken), WORK_ROUNDER));
  });
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
  f.ways.kind = WAYS_ALL;
  f.count = are_members_free(s, &f.has_bodies);
  f.label[0] = LABEL_ALL;
  return f;
}

static float mass_weight(const solve_group *s, const solve_member *m) {
  return reference_mass(m->c) / reference_mass(s->members->c);
}

/* Takes the common motions of the free pieces, the mean of the right-hand side over the mass, out of the residual: the
   solve starts from there. And the energy of the prediction's common motions. */
CLOTH_SEPARATE void take_common_motions(const solve_group *s, free_pieces *f) {
  for (int32_t n = 0; n < f->count && !f->has_bodies; n++) {
    cloth_vector force = vector(0.0f, 0.0f, 0.0f), going = force;
    float mass = 0.0f;
    EACH_MEMBER(s, m, {
      const solve_arrays a = arrays_of_free_piece(m->c, f->label[n]);
      float own;
      force = vector_add_scaled(force, sum_of_piece(m->c, &a, SUM_RESIDUAL, &own), m->weight);
      going = vector_add_scaled(going, sum_of_piece(m->c, &a, SUM_WAYS, &own), m->weight);
      mass += m->weight * own;
    });
    const float inverse = 1.0f / maximum(mass, WORK_QUANTUM);
    const cloth_vector way = along_ways(&f->ways, vector_scale_work(going, inverse));
    f->motion[n] = along_ways(&f->ways, vector_scale_work(force, inverse));
    f->kinetic += 0.5f * s->members->t->share * mass * vector_dot(way, way);
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
