#pragma once
#include "../bodies/bodies.h"
#include "../terms/stiffness.h"
#include "../terms/tethers.h"

/// Tearing ///

/*
 * Threads, the springs along warp and weft, break where they are longer than the limit of strain. A tear runs through
 * the middle of cells, between particles, so that masses and momenta stay. What leads across goes with the thread, see
 * gaps.h: diagonals, twist, triangles and contact of the cells beside it, hinges, and tethers.
 *
 * After each substep those beside a torn cell break if they are too long; only where there is none does the most
 * overstrained of all begin a new tear, the first of equal ones. A thread breaks where it is strained beyond the limit
 * itself, and would be under the mean tension of a gauge, the threads around it in its line, as unfinished solves share
 * tension unevenly. The number in a substep and in a step is bounded; what has to wait breaks later.
 *
 * In: positions, reactions of pins. Out: the bytes of gaps.h, freedoms, tethers, statistics. Scratch: residual.
 */

/* Most threads that break in a substep at the tips of tears. */
#define TEARS_AT_ONCE 32

/* A line of threads, and sums over those of it that nothing parts: a gauge is threads within `reach` of one. */
typedef struct gauge_line {
  const cloth *c;
  int32_t d, first, threads; /* direction, the first particle, number of threads */
  int32_t reach, is_endless; /* is_endless: 1 on a ring without a gap or pin */
  float *pull;               /* sums of elongations, times their stiffness over that of the fabric, before each [m] */
  float *rest;               /* of lengths at rest [m] */
} gauge_line;

/* Least factor of a stiffness map here, as it is divided by. */
#define LEAST_THREAD_STIFFNESS 1.0e-3f

/* Threads on either side of one in its gauge. */
#define GAUGE_REACH 2

/* Threads that are to break in a substep: 2 * particle + direction. */
typedef struct tear_list {
  int32_t thread[TEARS_AT_ONCE], count;
  int32_t worst; /* the most overstrained one; -1: none */
  float excess;  /* its length over the limit */
  int32_t waits; /* 1 if there was no room for one */
} tear_list;

static float tear_strain(const cloth *c, int32_t i, int32_t j) {
  const gap_summary *s = gap_summary_of(c);
  return s->tear_strain * map_between(c, s->tear_map, i, j);
}

static int32_t thread_end(const cloth *c, int32_t d, int32_t particle) {
  const int32_t columns = c->grid.columns;
  return d == WEFT ? particle + columns : (particle + 1) % columns ? particle + 1 : particle + 1 - columns;
}

/* The first particle of the cell before a thread: above it, or to the left of it. -1 beyond the grid. */
static int32_t cell_before(const cloth *c, int32_t d, int32_t particle) {
  const int32_t columns = c->grid.columns;
  if (d == WARP) { return particle - columns; }
  return particle % columns ? particle - 1 : is_wrapped(c) ? particle + columns - 1 : -1;
}

/* Length of a thread [m]. */
static float thread_length(const cloth *c, int32_t d, int32_t i) {
  const vector_array x = vectors_at(c, c->state.position);
  return vector_length(vector_subtract(vector_load(x, thread_end(c, d, i)), vector_load(x, i)));
}

static float thread_rest(const cloth *c, int32_t d, int32_t i) {
  return direction_rest(c, d) * shape_factor(c, REST_LENGTH + d, i);
}

static float thread_stiffness(const cloth *c, int32_t d, int32_t i) {
  return maximum(map_between(c, c->constant.stiffness_map, i, thread_end(c, d, i)), LEAST_THREAD_STIFFNESS);
}

/* The first particle of a thread of a line; on rings the threads start anew behind the last. */
static int32_t thread_of(const gauge_line *l, int32_t number) {
  if (l->d == WEFT) { return l->first + number * l->c->grid.columns; }
  return l->first + (number < l->threads ? number : number - l->threads);
}

/* Is there no thread, or a pin at its start? */
static int begins_gauge(const gauge_line *l, int32_t number) {
  const int32_t i = thread_of(l, number), before = thread_of(l, number > 0 ? number - 1 : l->threads - 1);
  return is_pinned(l->c, i) || is_gap(l->c, i, spring_gap(l->d)) || is_gap(l->c, before, spring_gap(l->d));
}

/* Adds up threads, from one on to the next gap or pin, at most `most`. Returns how many. */
static int32_t add_up_threads(gauge_line *l, int32_t first, int32_t most) {
  int32_t count = 0;
  l->pull[0] = l->rest[0] = 0.0f;
  while (count < most) {
    const int32_t i = thread_of(l, first + count);
    if (is_gap(l->c, i, spring_gap(l->d)) || (count > 0 && is_pinned(l->c, i))) { break; }
    const float rest = thread_rest(l->c, l->d, i);
    l->pull[count + 1] = l->pull[count] + thread_stiffness(l->c, l->d, i) * (thread_length(l->c, l->d, i) - rest);
    l->rest[count + 1] = l->rest[count] + rest;
    count++;
  }
  return count;
}

/* Sum over the threads before one of `count` that have been added up, none beyond the ends of a line. */
static float sum_before(const gauge_line *l, const float *sums, int32_t count, int32_t number) {
  if (!l->is_endless) { return sums[number < 0 ? 0 : number < count ? number : count]; }
  return number < 0       ? sums[number + count] - sums[count]
         : number > count ? sums[number - count] + sums[count]
                          : sums[number];
}

/* Sum over the threads within l->reach of one, the outermost with half their weight. */
static float gauge_sum(const gauge_line *l, const float *sums, int32_t count, int32_t number) {
  const float inner = sum_before(l, sums, count, number + l->reach) - sum_before(l, sums, count, number + 1 - l->reach);
  const float outer = sum_before(l, sums, count, number + 1 + l->reach) - sum_before(l, sums, count, number - l->reach);
  return 0.5f * (inner + outer);
}

/* Looks at a thread of a line, number `number` of `count` that have been added up. */
static void consider_thread(const gauge_line *l, int32_t i, int32_t number, int32_t count, tear_list *list) {
  const cloth *c = l->c;
  const int32_t j = thread_end(c, l->d, i), before = cell_before(c, l->d, i);
  const float limit = tear_strain(c, i, j);
  if (!(thread_length(c, l->d, i) > (1.0f + limit) * thread_rest(c, l->d, i)) || (is_pinned(c, i) && is_pinned(c, j))) {
    return;
  }
  const float rest = gauge_sum(l, l->rest, count, number) * thread_stiffness(c, l->d, i);
  const float strain = gauge_sum(l, l->pull, count, number) / rest;
  if (!(strain > limit)) { return; }
  if (is_gap(c, i, GAP_TORN) || (before >= 0 && is_gap(c, before, GAP_TORN))) {
    if (list->count < TEARS_AT_ONCE) {
      list->thread[list->count++] = 2 * i + l->d;
    } else {
      list->waits = 1;
    }
  }
  const float excess = (1.0f + strain) / (1.0f + limit);
  if (list->worst < 0 || excess > list->excess) {
    list->worst = 2 * i + l->d;
    list->excess = excess;
  }
}

/* Looks at the threads of a line, of which one may be too long. */
static void consider_line(gauge_line *l, tear_list *list) {
  const int is_ring = l->d == WARP && is_wrapped(l->c);
  int32_t start = 0;
  while (is_ring && start < l->threads && !begins_gauge(l, start)) {
    start++;
  }
  l->is_endless = is_ring && start == l->threads;
  start = l->is_endless ? 0 : start;
  for (int32_t number = 0; number < l->threads;) {
    const int32_t count = add_up_threads(l, start + number, l->threads - number);
    for (int32_t n = 0; n < count; n++) {
      consider_thread(l, thread_of(l, start + number + n), n, count, list);
    }
    number += count > 0 ? count : 1;
  }
  add_varying_work(l->c, (uint32_t)l->threads, COST_GAUGE);
}

/* Which threads of a block, from particle i on, may be too long: a bit for each of `left`. */
CLOTH_INLINE uint32_t overstrained_threads(const cloth *c, vector_array x, lanes limit, int32_t d, int32_t i,
                                           int32_t left) {
  const int32_t next = d == WARP ? 1 : c->grid.columns;
  const lanes3 way = lanes3_flush_below(lanes3_subtract(lanes3_load(x, i + next), lanes3_load(x, i)), STATE_QUANTUM);
  return lanes_bits(lanes_both(lanes_less(limit, lanes3_dot(way, way)), lanes_first(left)));
}

static gauge_line gauge_line_of(const cloth *c, int32_t d) {
  const vector_array sums = vectors_at(c, c->scratch.residual);
  const int32_t threads = d == WARP ? cells_along_warp(c) : c->grid.rows - 1;
  const int32_t most = d == WARP && is_wrapped(c) ? (threads - 1) / 2 : threads;
  return (gauge_line){c, d, 0, threads, smaller_of(GAUGE_REACH, most), 0, sums.x, sums.y};
}

/* Squared length from which threads of a direction may be too long [m^2]. */
static lanes squared_limit(const cloth *c, int32_t d) {
  const gap_summary *s = gap_summary_of(c);
  const float length = (1.0f + s->tear_strain * s->least_factor) * direction_rest(c, d) * least_rest_ratio(c);
  return lanes_splat(length * length);
}

CLOTH_HOT CLOTH_SEPARATE void find_overstrained(const cloth *c, tear_list *list) {
  const vector_array x = vectors_at(c, c->state.position);
  const int32_t columns = c->grid.columns, rows = c->grid.rows;
  gauge_line row_line = gauge_line_of(c, WARP), column_line = gauge_line_of(c, WEFT);
  const lanes limit_warp = squared_limit(c, WARP), limit_weft = squared_limit(c, WEFT);
  for (int32_t row = 0; row < rows; row++) {
    uint32_t some = is_wrapped(c) ? 1u : 0u; /* the thread that closes a ring is looked at below */
    for (int32_t column = 0; column < columns - 1; column += CLOTH_LANES) {
      some |= overstrained_threads(c, x, limit_warp, WARP, row * columns + column, columns - 1 - column);
    }
    if (some) {
      row_line.first = row * columns;
      consider_line(&row_line, list);
    }
  }
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    uint32_t some = 0;
    for (int32_t row = 0; row < rows - 1; row++) {
      some |= overstrained_threads(c, x, limit_weft, WEFT, row * columns + column, columns - column);
    }
    for (int32_t lane = 0; some >> lane; lane++) {
      if (some >> lane & 1u) {
        column_line.first = column + lane;
        consider_line(&column_line, list);
      }
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
  if (list->worst >= 0 && list->count == 0) { list->thread[list->count++] = list->worst; }
  list->waits |= list->count > most;
  const int32_t count = smaller_of(list->count, most);
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
  if (!(gap_summary_of(c)->tear_strain > 0.0f)) { return; }
  find_overstrained(c, &list);
  const int32_t count = break_threads(c, &list);
  plan->notes |= list.waits ? CLOTH_NOTE_TEARS_WAIT : 0;
  if (count > 0) {
    derive_gaps(c);
    statistics_of(c)->threads_torn += count;
    add_varying_work(c, (uint32_t)c->count, COST_GAPS);
  }
}

/* After threads have broken: tethers do not lead across, and pieces move on their own. */
static void forget_torn(const cloth *c) {
  if (!WITH_TETHERS || !c->state.tethers) { return; }
  if (inputs_of(c)->tethers_chosen == TETHERS_SET) {
    remove_tethers_over_gaps(c);
    add_varying_work(c, paths_work(c), 1u);
  } else {
    inputs_of(c)->tethers_chosen = TETHERS_STALE;
  }
}

/* Lets go of pins on which the cloth has pulled too hard in a step of dt seconds. */
static void rip_pins(const cloth *c, float dt) {
  const float most = gap_summary_of(c)->pin_force * dt, squared = most * most;
  const cloth_vector *impulses = (const cloth_vector *)at(c, c->own.pin_reactions);
  for (int32_t i = 0; most > 0.0f && i < c->count; i++) {
    const cloth_vector impulse = vector_flush(impulses[i], INPUT_QUANTUM);
    if (is_pinned(c, i) && !is_gap(c, i, GAP_PARTICLE) && vector_dot(impulse, impulse) > squared) {
      if (find_attachment(c, i)) { remove_attachment(c, i); }
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

static void finish_tears(const cloth *c, float dt) {
  if (statistics_of(c)->threads_torn > 0) { forget_torn(c); }
  workspace_of(c)->plan.notes |= count_torn(c) > gap_summary_of(c)->max_torn_cells ? CLOTH_NOTE_TORN_HIDDEN : 0;
  if (WITH_BODIES) { rip_pins(c, dt); }
}

/// Cuts ///

/* A cut parts the threads whose ends lie on different sides of it. A particle that it goes through lies before it, as
   if the cut was moved by very little towards larger columns, and by much less towards larger rows. */

/* The cut, or its reverse, from the smaller row on, and along a row from the larger column. */
static cloth_cut_line ordered_cut(cloth_cut_line cut) {
  flush_floats(&cut.column, (int32_t)(sizeof cut / sizeof(float)));
  const int is_ordered = cut.row < cut.end_row || (cut.row == cut.end_row && cut.column >= cut.end_column);
  return is_ordered ? cut : (cloth_cut_line){cut.end_column, cut.end_row, cut.column, cut.row};
}

/* Is a particle behind the straight line through a cut: at larger columns, or below a cut along a row? */
static int is_behind_cut(const cloth_cut_line *cut, int32_t column, int32_t row) {
  const float across = ((float)column - cut->column) * (cut->end_row - cut->row);
  return across > ((float)row - cut->row) * (cut->end_column - cut->column);
}

/* Does a cut cross the thread of a direction that begins at a particle? */
static int crosses_thread(const cloth_cut_line *cut, int32_t column, int32_t row, int32_t d) {
  const float at = (float)(d == WARP ? row : column);
  const float first = d == WARP ? cut->row : cut->column, last = d == WARP ? cut->end_row : cut->end_column;
  return (first < at) != (last < at) &&
         is_behind_cut(cut, column, row) != is_behind_cut(cut, column + (d == WARP), row + (d == WEFT));
}

/* Largest coordinate of a cut [cells]: that of the last column or row there may be. */
#define CUT_LIMIT ((float)CLOTH_GRID_LIMIT)

/* Breaks a thread, if it is whole. Returns how many that is. */
static int32_t cut_thread(const cloth *c, int32_t particle, int32_t d) {
  if (gaps_of(c)[particle] & spring_gap(d)) { return 0; }
  break_thread(c, 2 * particle + d);
  return 1;
}

#if WITH_TEARING

int cloth_cut(cloth *c, const cloth_cut_line *cut) {
  RETURN_IF_ERROR(check_call(c, cut));
  if (!in_range(cut->column, -CUT_LIMIT, CUT_LIMIT) || !in_range(cut->row, -CUT_LIMIT, CUT_LIMIT) ||
      !in_range(cut->end_column, -CUT_LIMIT, CUT_LIMIT) || !in_range(cut->end_row, -CUT_LIMIT, CUT_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  if (!can_tear(c)) { return CLOTH_ERROR_STATE; }
  const cloth_cut_line line = ordered_cut(*cut);
  int32_t count = 0;
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t row = i / c->grid.columns, column = i - row * c->grid.columns;
    if (column < cells_along_warp(c) && crosses_thread(&line, column, row, WARP)) { count += cut_thread(c, i, WARP); }
    if (row + 1 < c->grid.rows && crosses_thread(&line, column, row, WEFT)) { count += cut_thread(c, i, WEFT); }
  }
  if (count > 0) {
    derive_gaps(c);
    forget_torn(c);
    wake(c);
  }
  return count;
}

#endif
