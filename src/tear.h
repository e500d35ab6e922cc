#pragma once
#include "access.h"
#include "bodies.h"
#include "compiler.h"
#include "costs.h"
#include "gaps.h"
#include "lanes.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "stiffness.h"
#include "tethers.h"
#include "types.h"
#include "uniform.h"

/// Tearing ///

/*
 * Threads, the springs along warp and weft, break where they are longer than the limit of strain. A tear runs through
 * the middle of cells, between particles: none is split, so that masses and momenta stay as they are. What leads across
 * goes with the thread, see gaps.h: the diagonals, twist, triangles and contact of the cells beside it, hinges, and
 * tethers.
 *
 * After each substep all threads are looked at. Those beside a torn cell, at the tips of tears, break if they are too
 * long. Only where there is none does the most overstrained of all begin a new tear: as soon as a thread has broken,
 * its line relaxes, and those beside the tip bear more. So cloth that is pulled evenly tears in one place. Of equal
 * ones the first breaks. A thread breaks where it is strained beyond the limit itself, and so is the mean of the
 * threads within two of it in its line, a gauge length: beside clamps and contacts the solves along
 * lines share the same strain unevenly among neighbours, the more the longer the substep. The number in a substep and
 * in a step is bounded; what has to wait breaks later.
 *
 * In: positions after a substep, reactions of pins. Out: the bytes of gaps.h, freedoms, tethers, statistics. Scratch:
 * residual, to count the pieces.
 */

#if WITH_TEARING

/* Most threads that break in a substep at the tips of tears. */
#define TEARS_AT_ONCE 32

/* Threads that are to break in a substep: 2 * particle + direction. */
typedef struct tear_list {
  int32_t thread[TEARS_AT_ONCE], count;
  int32_t worst; /* the most overstrained one; -1: none */
  float excess;  /* its length over the limit */
  int32_t waits; /* 1 if there was no room for one */
} tear_list;

/* Length at which the thread of a direction breaks, from particle i to j [m]. */
static float tear_length(const cloth *c, int32_t d, int32_t i, int32_t j) {
  const gap_summary *s = gap_summary_of(c);
  float strain = s->tear_strain;
  if (s->tear_map) {
    const float *map = floats_at(c, s->tear_map);
    strain *= 0.5f * (map[i] + map[j]);
  }
  return (1.0f + strain) * direction_rest(c, d);
}

/* The particle at the end of a thread. */
static int32_t thread_end(const cloth *c, int32_t d, int32_t particle) {
  const int32_t columns = c->grid.columns;
  return d == WEFT ? particle + columns : (particle + 1) % columns ? particle + 1 : particle + 1 - columns;
}

/* The first particle of the cell before a thread: above it, or to the left of it. -1 beyond the grid. */
static int32_t cell_before(const cloth *c, int32_t d, int32_t particle) {
  const int32_t columns = c->grid.columns;
  if (d == WARP) {
    return particle - columns;
  }
  return particle % columns ? particle - 1 : is_wrapped(c) ? particle + columns - 1 : -1;
}

/* Length of a thread [m], over its share in the rest length of its direction. */
static float thread_length(const cloth *c, int32_t d, int32_t i) {
  const vector_array x = vectors_at(c, c->state.position);
  return vector_length(
             vector_flush(vector_subtract(vector_load(x, thread_end(c, d, i)), vector_load(x, i)), STATE_QUANTUM)) /
         shape_factor(c, REST_LENGTH + d, i);
}

/* The particle from which the thread before one starts, or the one after; -1 if there is none. */
static int32_t thread_beside(const cloth *c, int32_t d, int32_t i, int32_t step) {
  const int32_t columns = c->grid.columns, row = i / columns, column = i - row * columns;
  if (d == WEFT) {
    const int inside = row + step >= 0 && row + step + 1 < c->grid.rows;
    return inside && !is_gap(c, i + step * columns, GAP_WEFT) ? i + step * columns : -1;
  }
  const int inside = is_wrapped(c) || (column + step >= 0 && column + step + 1 < columns);
  const int32_t other = inside ? particle_beside(c, column + step, row) : -1;
  return inside && !is_gap(c, other, GAP_WARP) ? other : -1;
}

/* Mean length of the threads within two of one in its line [m], with weights of 1, 2, 2, 2, 1: those of lengths that
   alternate, or do so in pairs, are 0. Beyond the end of a line there are none. */
static float gauge_length(const cloth *c, int32_t d, int32_t i) {
  float sum = 2.0f * thread_length(c, d, i), weights = 2.0f;
  for (int32_t step = -1; step <= 1; step += 2) {
    const int32_t next = thread_beside(c, d, i, step), after = next >= 0 ? thread_beside(c, d, next, step) : -1;
    if (next >= 0) {
      sum += 2.0f * thread_length(c, d, next);
      weights += 2.0f;
    }
    if (after >= 0) {
      sum += thread_length(c, d, after);
      weights += 1.0f;
    }
  }
  return sum / weights;
}

/* Looks at a thread that may be too long. */
static void consider_thread(const cloth *c, int32_t d, int32_t i, tear_list *list) {
  const int32_t j = thread_end(c, d, i), before = cell_before(c, d, i);
  const float limit = tear_length(c, d, i, j);
  if (!(thread_length(c, d, i) > limit) || is_gap(c, i, spring_gap(d)) || (is_pinned(c, i) && is_pinned(c, j))) {
    return;
  }
  const float length = gauge_length(c, d, i);
  if (!(length > limit)) {
    return;
  }
  if (is_gap(c, i, GAP_TORN) || (before >= 0 && is_gap(c, before, GAP_TORN))) {
    if (list->count < TEARS_AT_ONCE) {
      list->thread[list->count++] = 2 * i + d;
    } else {
      list->waits = 1;
    }
  }
  const float excess = length / limit;
  if (list->worst < 0 || excess > list->excess) {
    list->worst = 2 * i + d;
    list->excess = excess;
  }
}

/* Looks at the threads of a direction, a block of particles at a time. */
CLOTH_HOT CLOTH_SEPARATE void find_overstrained(const cloth *c, int32_t d, tear_list *list) {
  const vector_array x = vectors_at(c, c->state.position);
  const gap_summary *s = gap_summary_of(c);
  const int32_t columns = c->grid.columns, next = d == WARP ? 1 : columns;
  const float length = (1.0f + s->tear_strain * s->least_factor) * direction_rest(c, d) * least_rest_ratio(c);
  const lanes limit = lanes_splat(length * length);
  for (int32_t row = 0; row < c->grid.rows - (d == WEFT); row++) {
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      const int32_t i = row * columns + column, left = columns - column - (d == WARP);
      const lanes3 way =
          lanes3_flush_below(lanes3_subtract(lanes3_load(x, i + next), lanes3_load(x, i)), STATE_QUANTUM);
      const uint32_t bits = lanes_bits(lanes_both(lanes_less(limit, lanes3_dot(way, way)), lanes_first(left)));
      for (int32_t lane = 0; bits >> lane; lane++) {
        if (bits >> lane & 1u) {
          consider_thread(c, d, i + lane, list);
        }
      }
    }
    if (d == WARP && is_wrapped(c)) {
      consider_thread(c, d, row * columns + columns - 1, list);
    }
  }
}

/* Breaks a thread; derive_gaps() follows. */
static void break_thread(const cloth *c, int32_t thread) {
  gaps_of(c)[thread >> 1] |= (uint8_t)(thread & 1 ? GAP_WEFT : GAP_WARP);
  *torn_flag_of(c) = 1;
}

/* Breaks the threads of a list, as many as the step still may, or the worst. Returns how many. */
static int32_t break_threads(const cloth *c, tear_list *list) {
  const int32_t most = gap_summary_of(c)->max_breaks - statistics_of(c)->threads_torn;
  if (list->worst >= 0 && list->count == 0) {
    list->thread[list->count++] = list->worst;
  }
  list->waits |= list->count > most;
  const int32_t count = list->count < most ? list->count : most;
  for (int32_t n = 0; n < count; n++) {
    break_thread(c, list->thread[n]);
  }
  return count;
}

/* After a substep: breaks threads that are too long. */
CLOTH_SEPARATE void tear_threads(const cloth *c, step_plan *plan) {
  tear_list list;
  fill_zero(&list, sizeof list);
  list.worst = -1;
  if (!(gap_summary_of(c)->tear_strain > 0.0f)) {
    return;
  }
  find_overstrained(c, WARP, &list);
  find_overstrained(c, WEFT, &list);
  const int32_t count = break_threads(c, &list);
  plan->notes |= list.waits ? CLOTH_NOTE_TEARS_WAIT : 0;
  if (count > 0) {
    derive_gaps(c);
    statistics_of(c)->threads_torn += count;
    add_varying_work(c, (uint32_t)c->count, COST_GAPS);
    (void)find_uniform_lines(c);
  }
}

/* After threads have broken: tethers do not lead across, and pieces move on their own. */
static void forget_torn(const cloth *c) {
#if WITH_PROJECTION
  if (c->state.tethers) {
    if (inputs_of(c)->tethers_chosen == TETHERS_SET) {
      remove_tethers_over_gaps(c);
      add_varying_work(c, paths_work(c), 1u);
    } else {
      inputs_of(c)->tethers_chosen = TETHERS_STALE;
    }
  }
#else
  (void)c;
#endif
}

#if WITH_BODIES

/* Lets go of pins on which the cloth has pulled too hard in a step of dt seconds. */
static void rip_pins(const cloth *c, float dt) {
  const float most = gap_summary_of(c)->pin_force * dt, squared = most * most;
  const cloth_vector *impulses = (const cloth_vector *)at(c, c->own.pin_reactions);
  for (int32_t i = 0; most > 0.0f && i < c->count; i++) {
    const cloth_vector impulse = vector_flush(impulses[i], INPUT_QUANTUM);
    if (is_pinned(c, i) && !is_gap(c, i, GAP_PARTICLE) && vector_dot(impulse, impulse) > squared) {
      if (find_attachment(c, i)) {
        remove_attachment(c, i);
      }
      freedom_of(c)[i] = FREEDOM_FREE;
      invalidate_history(c, i);
      if (c->state.tethers && inputs_of(c)->tethers_chosen == TETHERS_SET) {
        remove_tethers_to(c, i);
      } else if (c->state.tethers) {
        inputs_of(c)->tethers_chosen = TETHERS_STALE;
      }
      statistics_of(c)->pins_torn++;
    }
  }
}

#endif

/* After the substeps of a step of dt seconds. */
static void finish_tears(const cloth *c, float dt) {
  if (statistics_of(c)->threads_torn > 0) {
    forget_torn(c);
  }
  int32_t cells = 0;
  for (int32_t i = 0; is_torn_cloth(c) && i < c->count; i++) {
    cells += (gaps_of(c)[i] & GAP_TORN) != 0;
  }
  workspace_of(c)->plan.notes |= cells > gap_summary_of(c)->max_torn_cells ? CLOTH_NOTE_TORN_HIDDEN : 0;
#if WITH_BODIES
  rip_pins(c, dt);
#endif
  (void)dt;
}

/// Cuts ///

/* Number of threads of a line of the grid that a cut crosses, and which: the cut goes from (u, v) to (u_end, v_end),
   along the line and across it [cells]; the line is at `place`. A cut through a particle crosses the thread after it.
   Returns the thread, or -1. */
static int32_t crossed_thread(float u, float v, float u_end, float v_end, int32_t place, int32_t threads) {
  const float at = (float)place;
  if ((v < at) == (v_end < at)) {
    return -1;
  }
  const float share = flush_small((at - v) / (v_end - v), WORK_QUANTUM);
  const float crossing = u + share * (u_end - u);
  const int32_t thread = crossing >= 0.0f ? (int32_t)crossing : -1;
  return thread < threads ? thread : -1;
}

/* Largest coordinate of a cut [cells]: that of the last column or row there may be. */
#define CUT_LIMIT ((float)CLOTH_GRID_LIMIT)

/* Breaks a thread, if it is whole. Returns how many that is. */
static int32_t cut_thread(const cloth *c, int32_t particle, int32_t d) {
  if (gaps_of(c)[particle] & spring_gap(d)) {
    return 0;
  }
  break_thread(c, 2 * particle + d);
  return 1;
}

int cloth_cut(cloth *c, const cloth_cut_line *cut) {
  int error = check_call(c, cut);
  if (error) {
    return error;
  }
  if (!in_range(cut->column, -CUT_LIMIT, CUT_LIMIT) || !in_range(cut->row, -CUT_LIMIT, CUT_LIMIT) ||
      !in_range(cut->end_column, -CUT_LIMIT, CUT_LIMIT) || !in_range(cut->end_row, -CUT_LIMIT, CUT_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  if (!can_tear(c)) {
    return CLOTH_ERROR_STATE;
  }
  int32_t count = 0;
  for (int32_t row = 0; row < c->grid.rows; row++) {
    const int32_t n = crossed_thread(cut->column, cut->row, cut->end_column, cut->end_row, row, cells_along_warp(c));
    count += n >= 0 ? cut_thread(c, row * c->grid.columns + n, WARP) : 0;
  }
  for (int32_t column = 0; column < c->grid.columns; column++) {
    const int32_t n = crossed_thread(cut->row, cut->column, cut->end_row, cut->end_column, column, c->grid.rows - 1);
    count += n >= 0 ? cut_thread(c, n * c->grid.columns + column, WEFT) : 0;
  }
  if (count > 0) {
    derive_gaps(c);
    forget_torn(c);
    wake(c);
  }
  return count;
}

#endif
