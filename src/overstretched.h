#pragma once
#include "access.h"
#include "compiler.h"
#include "contact_push.h"
#include "costs.h"
#include "gaps.h"
#include "lanes.h"
#include "lines.h"
#include "pieces.h"
#include "projection.h"
#include "scalar.h"
#include "stretch_solve.h"
#include "types.h"

/// Overstretched lines ///

/*
 * The families act one after another: columns stretch rows that were solved before, tethers stretch both, and a solve
 * keeps the directions of springs that turn. In smooth cloth that is a hundredth of a length; where a sheet folds
 * sharply beside a free corner single springs would be longer by a tenth and more. So lines in which a spring is longer
 * than its solve has noted, see note_longest(), are solved once more for the excess, rows and then columns, twice at
 * most. It is compared with the length that the tension explains, not with the length after the solve: springs that
 * turned in the solve were too long then. What a fabric explains, strain and damping, stays.
 *
 * The number of lines solved in both sweeps together is bounded by half of the rows and half of the columns; where more
 * are too long the longest are taken. Lines that bear a body are left out, and springs beside
 * contacts are not looked at: solved again they would slip past small bodies, and contact_lines.h solves them with
 * contacts held.
 *
 * In: the predicted positions, scratch.mobility, scratch.force_share, scratch.longest, the maps. Out: the predicted
 * positions. Scratch: behind uniform_lines a byte for each row and column; residual, line_work.
 */

#if WITH_PROJECTION

/* Sweeps over rows and columns. One leaves rows that the columns stretch, 0.33 in place of 0.08 on a flag of 64 x 64
   with 4 substeps; a third takes little more away. */
#define AGAIN_SWEEPS 2

/* Marks of a line: it is to be solved again, or only takes the time of it, with fixed work. While lines are looked for
   a mark is the level of what a spring is too long, up to LONG_LEVELS. */
enum { LINE_STAYS, LINE_AGAIN, LINE_IDLE };
#define LONG_LEVELS 15
/* Levels in one of the excess of springs, see excess_of_springs(): a level is about a hundredth of a length. Where more
   lines are too long than may be solved again, levels decide between them. */
#define LEVELS_IN_ONE 50.0f

/* The most of so many rows or columns that are solved again in a substep. */
static int32_t most_lines_again(int32_t lines) {
  return (lines + 1) / 2;
}

/* Does a step of this plan solve lines again? */
static int solves_again(const cloth *c, const step_plan *plan) {
  const int any = plan->spring[WARP].projected != PROJECTED_NONE || plan->spring[WEFT].projected != PROJECTED_NONE;
  return c->scratch.longest && any;
}

/* Cost per particle of a line of a direction that is solved again. */
static uint32_t line_again_cost(const cloth *c, const step_plan *plan, int32_t d) {
  const int is_mapped = c->constant.stiffness_map || may_have_gaps(c) || plan->spring[d].projected == PROJECTED_SOME;
  const int is_ring = d == WARP && is_wrapped(c);
  return (uint32_t)(COST_LINE_AGAIN + (is_mapped ? COST_MAPPED : 0) + (is_ring ? COST_RING_AGAIN : 0));
}

/// Which lines ///

/* What a search for springs that are too long reads. */
typedef struct length_search {
  const cloth *c;
  const cloth *gapped; /* of gapped_cloth() */
  vector_array x;
  const float *longest; /* of the direction */
  const float *shares;  /* which tell what contact pushed, see contact_push.h; or NULL */
  float scale;          /* one over the squared rest length [1/m^2] */
} length_search;

static length_search length_search_of(const cloth *c, const step_plan *plan, int32_t d) {
  const float rest = plan->spring[d].rest;
  const length_search s = {.c = c,
                           .gapped = gapped_cloth(c),
                           .x = predicted_of(c),
                           .longest = longest_of(c, d),
                           .shares = has_contact_pushes(c) ? floats_at(c, c->scratch.force_share) : NULL,
                           .scale = 1.0f / (rest * rest)};
  return s;
}

/* By how much the squares of the lengths of springs from a block of particles to those `next` further on exceed the
   squares of the longest, over the squared rest length; 0 beside particles that contact pushed in the substep before.
 */
CLOTH_INLINE lanes excess_of_springs(const length_search *s, int32_t i, int32_t next) {
  const lanes3 d = lanes3_subtract(lanes3_load(s->x, i + next), lanes3_load(s->x, i));
  const lanes squared = lanes_multiply(lanes3_dot(d, d), lanes_splat(s->scale)), most = lanes_load(s->longest + i);
  const lanes excess = lanes_subtract(squared, lanes_multiply(most, most));
  if (!s->shares) {
    return excess;
  }
  const lanes either = lanes_maximum(lanes_load(s->shares + i), lanes_load(s->shares + i + next));
  return lanes_keep(lanes_less(either, lanes_splat(0.75f * SHARE_PUSHED)), excess);
}

/* 0 for springs that are absent. */
CLOTH_INLINE lanes excess_without_gaps(const length_search *s, int32_t i, uint32_t bit, lanes excess) {
#if WITH_GAPS
  if (s->gapped) {
    return lanes_keep(without_gap(s->gapped, i, 1, s->gapped->count - i, bit), excess);
  }
#endif
  (void)s;
  (void)i;
  (void)bit;
  return excess;
}

/* The excess of the spring that closes a row of a tube; 0 on a sheet. */
static float closing_excess(const length_search *s, int32_t row) {
  const int32_t first = row * s->c->grid.columns, last = first + s->c->grid.columns - 1;
  const int pushed = s->shares && maximum(s->shares[first], s->shares[last]) >= SHARE_PUSHED;
  if (!is_wrapped(s->c) || pushed) {
    return 0.0f;
  }
  const cloth_vector d = vector_subtract(vector_load(s->x, first), vector_load(s->x, last));
  return vector_dot(d, d) * s->scale - s->longest[last] * s->longest[last];
}

/* The level of an excess, the largest of a line: 0 if no spring is too long. */
static uint8_t level_of_excess(float excess) {
  if (!(excess > 0.0f)) {
    return 0;
  }
  return (uint8_t)(1 + (int32_t)minimum(excess * LEVELS_IN_ONE, (float)(LONG_LEVELS - 1)));
}

/* That of a row whose open springs have an excess of at most `most`. */
CLOTH_SEPARATE uint8_t level_of_row(const length_search *s, int32_t row, lanes most) {
  return level_of_excess(lanes_largest(most, closing_excess(s, row)));
}

/* Marks the rows with springs that are too long. Returns how many there are. */
CLOTH_HOT CLOTH_SEPARATE int32_t mark_long_rows(const length_search *search) {
  const length_search s = *search;
  const int32_t rows = s.c->grid.rows, columns = s.c->grid.columns, is_ring = is_wrapped(s.c);
  uint8_t *marks = marked_rows_of(s.c);
  int32_t found = 0;
  for (int32_t row = 0; row < rows; row++) {
    const int32_t first = row * columns;
    lanes most = lanes_splat(0.0f);
    EACH_BLOCK(column, left, columns - 1, {
      const int32_t i = first + column;
      const lanes excess = excess_without_gaps(&s, i, GAP_WARP, excess_of_springs(&s, i, 1));
      most = lanes_maximum(most, lanes_keep(lanes_first(left), excess));
    });
    const int may_be_long = is_ring || lanes_any(lanes_less(lanes_splat(0.0f), most));
    marks[row] = may_be_long ? level_of_row(search, row, most) : 0;
    found += marks[row] > 0;
  }
  return found;
}

/* The same for the columns. */
CLOTH_HOT CLOTH_SEPARATE int32_t mark_long_columns(const length_search *search) {
  const length_search s = *search;
  const int32_t rows = s.c->grid.rows, columns = s.c->grid.columns;
  uint8_t *marks = marked_columns_of(s.c);
  int32_t found = 0;
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    lanes most = lanes_splat(0.0f);
    for (int32_t row = 0; row + 1 < rows; row++) {
      const int32_t i = row * columns + column;
      const lanes excess = excess_of_springs(&s, i, columns);
      most = lanes_maximum(most, excess_without_gaps(&s, i, GAP_WEFT, excess));
    }
    float values[CLOTH_LANES];
    lanes_store(values, most);
    for (int32_t lane = 0; lane < CLOTH_LANES && column + lane < columns; lane++) {
      marks[column + lane] = level_of_excess(values[lane]);
      found += values[lane] > 0.0f;
    }
  }
  return found;
}

/* The least level of which, and above, there are no more than `most` among so many marks. */
static int32_t level_for(const uint8_t *marks, int32_t lines, int32_t most) {
  int32_t lines_at[LONG_LEVELS + 1] = {0}, level = LONG_LEVELS + 1;
  for (int32_t n = 0; n < lines; n++) {
    lines_at[marks[n]]++;
  }
  for (int32_t count = 0; level > 1; level--) {
    count += lines_at[level - 1];
    if (count > most) {
      break;
    }
  }
  return level;
}

/* Makes marks of the levels of lines: at most `most` lines, those of the highest levels, and if they do not all fit the
   first ones of the next. With fixed work, if `fills`, as many lines as may be have a mark. Returns their number. */
static int32_t choose_lines(uint8_t *marks, int32_t lines, int32_t most, int fills) {
  const int32_t level = level_for(marks, lines, most);
  int32_t above = 0, marked = 0;
  for (int32_t n = 0; n < lines; n++) {
    above += marks[n] >= level;
  }
  int32_t more = most - above; /* of lower levels */
  for (int32_t n = 0; n < lines; n++) {
    const int is_above = marks[n] >= level, is_long = marks[n] > 0;
    const int is_chosen = is_above || (more > 0 && (is_long ? marks[n] == level - 1 : fills && level == 1));
    more -= is_chosen && !is_above;
    marks[n] = (uint8_t)(!is_chosen ? LINE_STAYS : is_long ? LINE_AGAIN : LINE_IDLE);
    marked += is_chosen;
  }
  return marked;
}

/* Marks the lines of a direction that are to be solved again, at most `left` of them, which it takes from there.
   Returns their number. */
static int32_t mark_long_lines(const cloth *c, const step_plan *plan, int32_t d, int fills, int32_t *left) {
  if (plan->spring[d].projected == PROJECTED_NONE) {
    return 0;
  }
  const length_search s = length_search_of(c, plan, d);
  const int32_t found = d == WARP ? mark_long_rows(&s) : mark_long_columns(&s);
  if (found == 0 && !fills) {
    return 0;
  }
  const int32_t marked = d == WARP ? choose_lines(marked_rows_of(c), c->grid.rows, *left, fills)
                                   : choose_lines(marked_columns_of(c), c->grid.columns, *left, fills);
  *left -= marked;
  return marked;
}

/// Solves ///

/* The springs of a direction, to be solved for what they are too long. */
static stretch_lines lines_again_of(const cloth *c, const step_plan *plan, int32_t d) {
  stretch_lines l;
  stretch_lines_of(c, plan, d, &l);
  l.is_special = 1;
  l.is_again = 1;
  l.damping_share = 0.0f; /* the springs' targets are not asked for */
  l.shaped_damping = 0.0f;
  l.bears = 0;
  return l;
}

/* Reads the marks of `count` lines of a bundle, at most CLOTH_LANES, into l. Returns 1 if one is marked. */
static int take_marks(stretch_lines *l, const uint8_t *marks, int32_t count) {
  float again[CLOTH_LANES];
  int any = 0;
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const int32_t mark = lane < count ? marks[lane] : LINE_STAYS;
    again[lane] = mark == LINE_AGAIN ? 1.0f : 0.0f;
    any |= mark != LINE_STAYS;
  }
  l->again = lanes_load(again);
  return any;
}

static void solve_rows_again(const cloth *c, const step_plan *plan, stage_piece *p) {
  stretch_lines l = lines_again_of(c, plan, WARP);
  for (int32_t row = p->first; row < p->end; row += CLOTH_LANES) {
    if (!take_marks(&l, marked_rows_of(c) + row, c->grid.rows - row)) {
      continue;
    }
    line_bundle b = bundle_of_rows(c, p, predicted_of(c), row);
    sum_rows(c, plan, &b);
    l.longest = longest_of(c, WARP) + b.first;
#if CLOTH_LANES > 1
    l.longest = row_plane(c, p->rows, ROW_OLD_X);
    transpose_rows(longest_of(c, WARP) + b.first, c->grid.columns, b.count, l.longest);
#endif
    solve_stretch(&l, &b);
    return_rows(c, &b);
  }
}

static void solve_columns_again(const cloth *c, const step_plan *plan, stage_piece *p) {
  stretch_lines l = lines_again_of(c, plan, WEFT);
  for (int32_t column = p->first; column < p->end; column += CLOTH_LANES) {
    if (take_marks(&l, marked_columns_of(c) + column, c->grid.columns - column)) {
      line_bundle b = bundle_of_columns(c, p, predicted_of(c), column);
      b.sums = sums_from_predicted(c, plan);
      l.longest = longest_of(c, WEFT) + column;
      solve_stretch(&l, &b);
    }
  }
}

/* Solves lines with springs that are too long once more. */
CLOTH_SEPARATE void solve_overstretched_lines(const cloth *c, const step_plan *plan) {
  const int32_t rows = c->grid.rows, columns = c->grid.columns, fixed_work = c->settings.capacity.fixed_work;
  int32_t left[2] = {[WARP] = most_lines_again(rows), [WEFT] = most_lines_again(columns)};
  for (int32_t sweep = 0; sweep < AGAIN_SWEEPS; sweep++) {
    const int32_t fills = fixed_work && sweep + 1 == AGAIN_SWEEPS;
    const int32_t long_rows = mark_long_lines(c, plan, WARP, fills, &left[WARP]);
    const int32_t long_columns = mark_long_lines(c, plan, WEFT, fills, &left[WEFT]);
    add_varying_work(c, (uint32_t)c->count, COST_LENGTHS);
    if (long_rows > 0) {
      run_pieces(c, plan, solve_rows_again, NULL, rows, LINE_BLOCK);
    }
    if (long_columns > 0) {
      run_pieces(c, plan, solve_columns_again, NULL, columns, LINE_BLOCK);
    }
    add_varying_work(c, (uint64_t)(uint32_t)long_rows * (uint32_t)columns, line_again_cost(c, plan, WARP));
    add_varying_work(c, (uint64_t)(uint32_t)long_columns * (uint32_t)rows, line_again_cost(c, plan, WEFT));
    if (long_rows + long_columns == 0 && !fixed_work) {
      break;
    }
  }
}

#endif
