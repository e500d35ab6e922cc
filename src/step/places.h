#pragma once
#include "../solve/strips.h"
#include "../terms/bounds.h"

/// Prediction ///

/*
 * Where particles go by themselves in a substep, x* = x_n + h f v, with v the velocity, extrapolated by the share of
 * BDF2, and f the share of it that damping leaves, of which the first is a dry drag that takes what is slow to rest:
 *
 *   f = max(0, 1 - a / |v|) / (1 + velocity_damping h), a = h rest_drag / (1 + |v|^2 / rest_speed^2)
 *
 * Springs are linearised there. Pins go where they are told. Gravity is not part of it: at rest x* is x_n. Out: place,
 * way, turn, bent.
 */

/* What the prediction of a block takes, copied. */
typedef struct prediction_terms {
  vector_array x, v, before, earlier; /* of the state; before and earlier: NULL without history */
  lanes h, blend, drag, dry_drag, rest_speed;
  const float *pressed; /* codes of contact; NULL without colliders */
  int32_t blends, has_dry_drag;
} prediction_terms;

static prediction_terms prediction_of(const cloth *c, const substep_terms *t) {
  const vector_array none = {NULL, NULL, NULL};
  return (prediction_terms){.x = vectors_at(c, c->state.position),
                            .v = vectors_at(c, c->state.velocity),
                            .before = c->state.velocity_history ? history_of(c, 1) : none,
                            .earlier = t->blend > 0.0f ? history_of(c, 2) : none,
                            .h = lanes_splat(t->h),
                            .blend = lanes_splat(t->blend * (1.0f / 9.0f)),
                            .drag = lanes_splat(t->drag),
                            .dry_drag = lanes_splat(t->dry_drag),
                            .rest_speed = lanes_splat(t->rest_speed),
                            .pressed = c->state.touching ? floats_at(c, c->state.touching) : NULL,
                            .blends = t->blend > 0.0f,
                            .has_dry_drag = t->dry_drag > 0.0f};
}

/* The velocity of a block of free particles, extrapolated by BDF2: v + w (6 v0 - 7 v1 + v2) / 9. */
CLOTH_INLINE lanes3 extrapolated(const prediction_terms *p, lanes3 v, int32_t i) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const lanes3 before = lanes3_load(p->before, i), earlier = lanes3_load(p->earlier, i);
  lanes3 change = lanes3_subtract(lanes3_scale(v, lanes_splat(6.0f)), lanes3_scale(before, lanes_splat(7.0f)));
  change = lanes3_flush(lanes3_scale(lanes3_add(change, earlier), p->blend));
  change = lanes3_select(has_no_history(earlier.x), none, change);
  return lanes3_add(v, lanes3_select(has_no_history(before.x), none, change));
}

/* The share of a velocity that damping leaves; the dry drag leaves what was pressed in the last substep. */
CLOTH_INLINE lanes left_by_drag(const prediction_terms *p, lanes3 v, int32_t i) {
  if (!p->has_dry_drag) { return p->drag; }
  const lanes one = lanes_splat(1.0f), squared = lanes3_dot(v, v);
  const lanes fading = lanes_divide(p->dry_drag, lanes_add(one, lanes_multiply(squared, p->rest_speed)));
  const lanes speed = lanes_maximum(lanes_square_root(squared), lanes_splat(STATE_QUANTUM));
  const lanes left = lanes_subtract(one, lanes_divide(fading, speed));
  const lanes damped = lanes_multiply(p->drag, lanes_maximum(left, lanes_splat(0.0f)));
  return p->pressed ? lanes_select(lanes_less(lanes_splat(0.0f), lanes_load(p->pressed + i)), p->drag, damped) : damped;
}

/* The way of a block over the substep's prediction, h f v, and of pins; `moves`: which are not pinned. */
CLOTH_INLINE lanes3 predicted_way(const prediction_terms *p, int32_t i, lanes_mask moves) {
  lanes3 v = lanes3_load(p->v, i);
  if (p->blends) { v = lanes3_select(moves, extrapolated(p, v, i), v); }
  const lanes time = lanes_select(moves, lanes_multiply(left_by_drag(p, v, i), p->h), p->h);
  return lanes3_quantise(lanes3_scale(v, time), WORK_ROUNDER);
}

/* How far a block has turned off its prediction in the last substep, h (v0 - v1). */
CLOTH_INLINE lanes3 last_turn(const prediction_terms *p, int32_t i) {
  const lanes3 before = lanes3_load(p->before, i);
  const lanes_mask is_new = has_no_history(before.x);
  const lanes3 turned = lanes3_scale(lanes3_subtract(lanes3_load(p->v, i), before), p->h);
  const lanes3 known =
      lanes3_of(lanes_drop(is_new, turned.x), lanes_drop(is_new, turned.y), lanes_drop(is_new, turned.z));
  return lanes3_quantise(known, WORK_ROUNDER);
}

CLOTH_HOT CLOTH_SEPARATE void predict_strip(const cloth *c, stage_piece *piece) {
  const substep_terms *t = (const substep_terms *)piece->what;
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const prediction_terms p = prediction_of(c, t);
  const lanes viscosity = lanes_splat(t->viscosity);
  const int32_t is_viscous = t->viscosity > 0.0f && t->bends, has_turns = p.before.x != NULL;
  for (int32_t row = piece->first; row < piece->end; row++) {
    float *place = near_row(a->place, a->pitch, row), *way = near_row(a->direction, a->pitch, row);
    float *turns = near_row(a->turn, a->pitch, row), *bent = near_row(a->bent, a->pitch, row);
    const float *diagonal = a->diagonal + row * a->pitch;
    const int32_t first = row * a->columns, columns = a->columns;
    const ptrdiff_t plane = a->plane;
    row_sum squares = row_sum_start();
    for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
      const lanes mass = lanes_load(diagonal + i);
      const lanes_mask moves = lanes_less(lanes_splat(0.0f), mass);
      const lanes3 d = predicted_way(&p, first + i, moves);
      row_sum_add(&squares, i, lanes_multiply(mass, lanes3_dot(d, d)));
      const lanes3 x = lanes3_quantise(lanes3_add(lanes3_load(p.x, first + i), d), STATE_ROUNDER);
      near_store(place, plane, i, x);
      near_store(way, plane, i, d);
      if (has_turns) {
        near_store(turns, plane, i, last_turn(&p, first + i));
      } else {
        near_store(turns, plane, i, lanes3_splat(vector(0.0f, 0.0f, 0.0f)));
      }
      if (is_viscous) { near_store(bent, plane, i, lanes3_add_scaled(x, d, viscosity)); }
    }
    row_sum_store(a->sums + LANES_SUMS * row, &squares);
  }
}

/* Predicts all particles, and sums up the kinetic energy of the prediction. */
CLOTH_ONCE void predict_places(const cloth *c, const substep_terms *t) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  clear_near_pads(a->turn, a->pitch, a->rows, (int32_t)a->plane);
  if (t->viscosity > 0.0f && t->bends) { clear_near_pads(a->bent, a->pitch, a->rows, (int32_t)a->plane); }
  run_strips(c, predict_strip, t);
  close_rows(c, near_array(c, c->scratch.place));
  close_rows(c, near_array(c, c->scratch.direction));
  close_rows(c, near_array(c, c->scratch.solution));
  if (t->viscosity > 0.0f && t->bends) { close_rows(c, near_array(c, c->scratch.product)); }
  const lanes_sum none = {{0.0f}};
  workspace_of(c)->kinetic = 0.5f * t->share * sum_of_rows(c, none);
}

/// Acceptance ///

/*
 * The new state: x = x_n + d and v = d / h with d = (x - x_n) + y. Only this writes positions and velocities. A
 * particle faster than max_speed is slowed; one whose motion is not finite, or leaves the world, is put back where it
 * was, without velocity: both are counted, and never happen to cloth at rest.
 *
 * In: way, solution, direction and the length of the last step. Out: position, velocity, velocity history. Scratch:
 * none.
 */

/* What the acceptance of a block takes beside the prediction, copied. */
typedef struct acceptance {
  const cloth *c;
  piece_counts *counts;
  vector_array x, v, before, earlier;
  lanes inverse_h;
  float max_speed, h;
  float max_coordinate; /* relative to the origin of the step [m] */
} acceptance;

/* Accepts one particle at x + d with the velocity v. */
static void accept_one(const acceptance *a, int32_t i, cloth_vector d) {
  cloth_vector v = vector_scale(d, 1.0f / a->h), to = vector_add(vector_load(a->x, i), d);
  if (!vector_is_finite(v) || !vector_is_finite(to)) {
    vector_store(a->v, i, vector(0.0f, 0.0f, 0.0f));
    a->counts->recovered++;
    return;
  }
  if (!is_told(a->c, i) && clamp_length(&v, a->max_speed)) {
    a->counts->limited++;
    to = vector_add_scaled(vector_load(a->x, i), v, a->h);
  }
  if (!is_step_place(a->c, to)) {
    vector_store(a->v, i, vector(0.0f, 0.0f, 0.0f));
    a->counts->recovered++;
    return;
  }
  vector_store(a->x, i, vector_flush_state(to));
  vector_store(a->v, i, vector_flush_state(v));
}

CLOTH_SEPARATE void accept_one_by_one(const acceptance *a, int32_t i, int32_t left, lanes3 d) {
  float values[3][CLOTH_LANES];
  const vector_array ways = {values[0], values[1], values[2]};
  lanes3_store(ways, 0, d, CLOTH_LANES);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    accept_one(a, i + lane, vector_load(ways, lane));
  }
}

/* Accepts a block of particles from `i` on, of which `left` exist. `d`: its way over the substep. */
CLOTH_INLINE void accept_block_of_row(const acceptance *a, int32_t i, int32_t left, lanes3 d) {
  const lanes3 old = lanes3_load(a->v, i);
  if (a->earlier.x) { lanes3_store(a->earlier, i, lanes3_load(a->before, i), left); }
  if (a->before.x) { lanes3_store(a->before, i, old, left); }
  const lanes3 to = lanes3_add(lanes3_load(a->x, i), d), v = lanes3_scale(d, a->inverse_h);
  const lanes_mask within = lanes_both(lanes_less(length_upper_bound(to), lanes_splat(a->max_coordinate)),
                                       lanes_less(length_upper_bound(v), lanes_splat(a->max_speed)));
  const lanes bad = lanes_drop(within, lanes_splat(1.0f));
  if (lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), bad)))) {
    const acceptance seen = *a; /* so that nobody sees it where lanes are stored */
    accept_one_by_one(&seen, i, left, d);
  } else {
    lanes3_store(a->x, i, lanes3_flush_below(to, STATE_QUANTUM), left);
    lanes3_store(a->v, i, lanes3_flush_below(v, STATE_QUANTUM), left);
  }
}

/* What the pass takes. */
typedef struct accept_terms {
  const substep_terms *t;
  int32_t has_solution, has_ways; /* has_ways: 1 if `direction` has the prediction's ways */
} accept_terms;

/* Accepts a row. `has_ways`: that of the terms; a constant. */
CLOTH_INLINE void accept_row(const acceptance *a, const prediction_terms *p, const solve_arrays *s,
                             const accept_terms *what, int32_t row, lanes last_step, int32_t has_ways) {
  const float *way = near_row(s->direction, s->pitch, row);
  const int32_t columns = s->columns, has_solution = what->has_solution;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(s->diagonal + row * s->pitch + i));
    const lanes3 d = has_ways ? near_load(way, s->plane, i) : predicted_way(p, row * columns + i, moves);
    const lanes3 y = lanes3_keep(moves, solution_with(s, row, i, last_step, has_solution));
    accept_block_of_row(a, row * columns + i, columns - i, lanes3_add(d, y));
  }
}

CLOTH_HOT CLOTH_SEPARATE void accept_strip(const cloth *c, stage_piece *piece) {
  const accept_terms *what = (const accept_terms *)piece->what;
  const substep_terms *t = what->t;
  const solve_arrays arrays = *arrays_of(c), *s = &arrays;
  const prediction_terms p = prediction_of(c, t);
  const vector_array none = {NULL, NULL, NULL};
  acceptance a = {.c = c,
                  .counts = &piece->counts,
                  .x = p.x,
                  .v = p.v,
                  .before = p.before,
                  .earlier = c->settings.integration.bdf2_blend > 0.0f ? history_of(c, 2) : none,
                  .inverse_h = lanes_splat(t->inverse_h),
                  .max_speed = c->settings.integration.max_speed,
                  .h = t->h,
                  .max_coordinate = CLOTH_POSITION_LIMIT - workspace_of(c)->origin_reach};
  const lanes last_step = lanes_splat(workspace_of(c)->last_step);
  for (int32_t row = piece->first; row < piece->end; row++) {
    if (what->has_ways) {
      accept_row(&a, &p, s, what, row, last_step, 1);
    } else {
      accept_row(&a, &p, s, what, row, last_step, 0);
    }
  }
}

/* Accepts the new places and velocities of all particles. `has_solution`: 0 if the solution is the last step alone;
   `has_ways`: see accept_terms. */
CLOTH_ONCE void accept(const cloth *c, const substep_terms *t, int32_t has_solution, int32_t has_ways) {
  const accept_terms what = {t, has_solution, has_ways};
  const piece_counts made = run_strips(c, accept_strip, &what);
  statistics_of(c)->particles_limited += made.limited;
  statistics_of(c)->particles_recovered += made.recovered;
}
