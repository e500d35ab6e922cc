#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/pieces.h"
#include "../cloth/step_origin.h"
#include "../cloth/types.h"
#include "../solve/strips.h"
#include "../terms/bounds.h"
#include "predict.h"

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
  const float *solution, *direction; /* of the row */
  vector_array x, v, before, earlier;
  ptrdiff_t plane;
  lanes last_step, inverse_h;
  int32_t has_solution, keeps_earlier;
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
  vector_store(a->x, i, vector_flush(to, STATE_QUANTUM));
  vector_store(a->v, i, vector_flush(v, STATE_QUANTUM));
}

/* Accepts the particles of a block one by one. */
CLOTH_SEPARATE void accept_one_by_one(const acceptance *a, int32_t i, int32_t left, lanes3 d) {
  float values[3][CLOTH_LANES];
  const vector_array ways = {values[0], values[1], values[2]};
  lanes3_store(ways, 0, d, CLOTH_LANES);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    accept_one(a, i + lane, vector_load(ways, lane));
  }
}

/* Accepts a block that begins at column `column` of the row whose first particle is `first`, of which `left` exist.
   `d`: its way over the substep. */
CLOTH_INLINE void accept_block_of_row(const acceptance *a, int32_t i, int32_t left, lanes3 d) {
  const lanes3 old = lanes3_load(a->v, i);
  if (a->keeps_earlier) { lanes3_store(a->earlier, i, lanes3_load(a->before, i), left); }
  if (a->before.x) { lanes3_store(a->before, i, old, left); }
  const lanes3 to = lanes3_flush_below(lanes3_add(lanes3_load(a->x, i), d), STATE_QUANTUM);
  const lanes3 v = lanes3_flush_below(lanes3_scale(d, a->inverse_h), STATE_QUANTUM);
  const lanes_mask within = lanes_both(lanes_less(length_upper_bound(to), lanes_splat(a->max_coordinate)),
                                       lanes_less(length_upper_bound(v), lanes_splat(a->max_speed)));
  const lanes bad = lanes_drop(within, lanes_splat(1.0f));
  if (lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), bad)))) {
    const acceptance seen = *a; /* so that nobody sees it where lanes are stored */
    accept_one_by_one(&seen, i, left, d);
  } else {
    lanes3_store(a->x, i, to, left);
    lanes3_store(a->v, i, v, left);
  }
}

/* What the pass takes. */
typedef struct accept_terms {
  const substep_terms *t;
  int32_t has_solution;
} accept_terms;

/* Accepts the particles of a strip. */
CLOTH_HOT CLOTH_SEPARATE void accept_strip(const cloth *c, const step_plan *plan, stage_piece *piece) {
  const accept_terms *what = (const accept_terms *)piece->what;
  const substep_terms *t = what->t;
  const solve_arrays arrays = arrays_of(c), *s = &arrays;
  const prediction_terms p = prediction_of(c, t);
  const vector_array none = {NULL, NULL, NULL};
  acceptance a = {.c = c,
                  .counts = &piece->counts,
                  .x = p.x,
                  .v = p.v,
                  .before = p.before,
                  .earlier = c->settings.integration.bdf2_blend > 0.0f ? history_of(c, 2) : none,
                  .plane = s->plane,
                  .last_step = lanes_splat(workspace_of(c)->last_step),
                  .inverse_h = lanes_splat(t->inverse_h),
                  .has_solution = what->has_solution,
                  .keeps_earlier = c->settings.integration.bdf2_blend > 0.0f,
                  .max_speed = c->settings.integration.max_speed,
                  .h = t->h,
                  .max_coordinate = CLOTH_POSITION_LIMIT - workspace_of(c)->origin_reach};
  const int32_t columns = s->columns;
  for (int32_t row = piece->first; row < piece->end; row++) {
    const float *diagonal = s->diagonal + row * s->pitch, *solution = s->solution + 3 * row * s->pitch;
    const float *direction = near_row(s->direction, s->pitch, row);
    for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
      const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(diagonal + i));
      lanes3 d = predicted_way(&p, row * columns + i, moves, p.reach);
      lanes3 y = lanes3_scale(near_load(direction, a.plane, i), a.last_step);
      y = a.has_solution ? lanes3_add(y, own_load(solution, i)) : y;
      accept_block_of_row(&a, row * columns + i, columns - i, lanes3_add(d, lanes3_keep(moves, y)));
    }
  }
  (void)plan;
}

/* Accepts the new places and velocities of all particles. `has_solution`: 0 if the solution is the last step alone. */
CLOTH_ONCE void accept(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const accept_terms what = {t, has_solution};
  const piece_counts made = run_strips(c, accept_strip, &what);
  statistics_of(c)->particles_limited += made.limited;
  statistics_of(c)->particles_recovered += made.recovered;
}
