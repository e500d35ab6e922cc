#pragma once
#include "access.h"
#include "compiler.h"
#include "constraint.h"
#include "lanes.h"
#include "layout.h"
#include "stiffness.h"
#include "types.h"
#include "uniform.h"

/// Lines of constraints ///

/*
 * The springs along rows are lines of springs that have nothing to do with each other, and so are those along columns.
 * Lanes take as many lines side by side, and go with each through all its springs, spans from coarse to fine. Columns
 * lie side by side in memory. Rows are brought side by side and back again, which costs less than half of what it costs
 * to have the springs of one row compete for lanes.
 */
typedef struct line_bundle {
  vector_array x;
  const float *mobility;
  int32_t next;                 /* floats from an element of a line to the next one, of positions and mobilities */
  int32_t length;               /* elements of a line */
  int32_t count;                /* how many lanes are lines: what others make is not kept */
  int32_t is_ring;              /* 1 if the first element follows the last */
  int32_t first, along, across; /* particles: of the first element, from one to the next, from one line to the next */
  uniform_run uniform;          /* elements where the plain kernel may serve */
} line_bundle;

/* Values of maps, in lanes. */
static lanes line_values(const line_bundle *b, const float *plane, int32_t element) {
  return lanes_gather(plane + b->first + element * b->along, b->across, b->count);
}

CLOTH_SEPARATE void add_maps(const cloth *c, const line_bundle *b, int32_t element, int32_t other, spring_ends *ends) {
  for (int32_t n = 0; n < 2; n++) {
    int32_t e = n ? other : element;
    if (c->constant.stiffness_map) {
      lanes map = line_values(b, floats_at(c, c->constant.stiffness_map), e);
      ends->scale = n ? lanes_multiply(lanes_splat(0.5f), lanes_add(ends->scale, map)) : map;
    }
    if (c->constant.mass_ratio) {
      ends->mass_ratio[n] = line_values(b, floats_at(c, c->constant.mass_ratio), e);
    }
  }
}

CLOTH_INLINE spring_ends line_ends(const cloth *c, const line_bundle *b, int32_t element, int32_t other) {
  lanes one = lanes_splat(1.0f);
  lanes mobility[2] = {lanes_load(b->mobility + element * b->next), lanes_load(b->mobility + other * b->next)};
  spring_ends ends = {{mobility[0], mobility[1]}, {one, one}, one};
  if (c->constant.stiffness_map || c->constant.mass_ratio) {
    add_maps(c, b, element, other, &ends);
  }
  return ends;
}

/* A limit at work on a bundle. Both are copies, which compilers can keep in registers; add_maps() asks for the bundle
   itself. */
typedef struct line_context {
  distance_constraint limit;
  line_bundle bundle;
  const cloth *c;
  const line_bundle *lines;
} line_context;

CLOTH_INLINE void project_link(const line_context *l, int32_t element) {
  const int32_t next = l->bundle.next, count = l->bundle.count;
  const int32_t i = element * next, j = i + l->limit.span * next;
  lanes3 ends[2] = {lanes3_load(l->bundle.x, i), lanes3_load(l->bundle.x, j)};
  if (UNIFORM_KERNELS && element >= l->bundle.uniform.from && element + l->limit.span < l->bundle.uniform.to) {
    project_uniform(&l->limit, &ends[0], &ends[1]);
  } else {
    spring_ends known = line_ends(l->c, l->lines, element, element + l->limit.span);
    project_general(&l->limit, &known, &ends[0], &ends[1]);
  }
  lanes3_store(l->bundle.x, i, ends[0], count);
  lanes3_store(l->bundle.x, j, ends[1], count);
}

/* Plain springs of whole lanes, from every other element on. Returns the element after the last. */
CLOTH_INLINE int32_t project_uniform_links(const line_context *l, int32_t element) {
  const int32_t span = l->limit.span, step = span * l->bundle.next;
  const int32_t end = element < l->bundle.uniform.from ? 0 : l->bundle.uniform.to - span;
  vector_array x = {l->bundle.x.x + element * l->bundle.next, l->bundle.x.y + element * l->bundle.next,
                    l->bundle.x.z + element * l->bundle.next};
  for (; element < end; element += 2 * span) {
    lanes3 from = lanes3_load(x, 0);
    lanes3 to = lanes3_load(x, step);
    project_uniform(&l->limit, &from, &to);
    lanes3_store(x, 0, from, CLOTH_LANES);
    lanes3_store(x, step, to, CLOTH_LANES);
    x.x += 2 * step;
    x.y += 2 * step;
    x.z += 2 * step;
  }
  return element;
}

/* The springs from every other element on: no two of them have an end in common. */
CLOTH_INLINE void project_links(const line_context *l, int32_t element) {
  const int32_t span = l->limit.span;
  while (element + span < l->bundle.length) {
    int32_t ahead = element;
    if (UNIFORM_KERNELS && l->bundle.count == CLOTH_LANES) {
      ahead = project_uniform_links(l, element);
    }
    if (ahead <= element) {
      project_link(l, element);
      ahead = element + 2 * span;
    }
    element = ahead;
  }
}

#if WITH_WRAP

/*
 * A ring has no end to begin at, and whatever goes through it in order would leave marks where it begins. So all its
 * springs of a span act at once: each tells how far it would move its ends, and a particle does so much of the sum of
 * both moves. More than this, and gathered rings ring from substep to substep; less holds them worse (measured).
 */
#define RING_SHARE 0.5f

/* How far the spring between two elements would move them, over d. */
CLOTH_INLINE end_shares ring_shares(const line_context *l, int32_t element, int32_t other, lanes3 d) {
  const uniform_run uniform = l->bundle.uniform;
  if (UNIFORM_KERNELS && element >= uniform.from && other >= uniform.from && element < uniform.to &&
      other < uniform.to) {
    lanes share = uniform_share(&l->limit, d);
    end_shares shares = {share, share};
    return shares;
  }
  spring_ends known = line_ends(l->c, l->lines, element, other);
  return general_shares(&l->limit, &known, d);
}

/* As many springs of a ring, span by span from one that ends at `first`. The first of them is the last, too. */
CLOTH_INLINE void project_ring(const line_context *l, int32_t first, int32_t springs, int uniform, int32_t count) {
  const int32_t next = l->bundle.next, length = l->bundle.length, span = l->limit.span;
  const lanes3 start = lanes3_load(l->bundle.x, first * next);
  int32_t element = first < span ? first + length - span : first - span;
  lanes3 here = lanes3_load(l->bundle.x, element * next);
  lanes3 pulled = here;
  for (int32_t n = 0; n <= springs; n++) {
    int32_t other = element + span < length ? element + span : element + span - length;
    lanes3 there = other == first ? start : lanes3_load(l->bundle.x, other * next);
    lanes3 d = lanes3_subtract(there, here);
    lanes share = uniform ? uniform_share(&l->limit, d) : d.x;
    end_shares shares = {share, share};
    if (!uniform) {
      shares = ring_shares(l, element, other, d);
    }
    if (n > 0) {
      lanes3 moved = constraint_correction(lanes3_subtract(constraint_correction(d, shares.from), pulled),
                                           lanes_splat(RING_SHARE));
      lanes3_store(l->bundle.x, element * next, lanes3_add(here, moved), count);
    }
    pulled = constraint_correction(d, shares.to);
    here = there;
    element = other;
  }
}

/* Into how many rings the springs of a span fall. */
static int32_t rings_of(int32_t length, int32_t span) {
  while (length % span != 0) {
    span /= 2;
  }
  return span;
}

/* All springs of a span. Rings that are plain all round have a loop of their own. */
CLOTH_INLINE void project_rings(const line_context *l) {
  const int32_t rings = rings_of(l->bundle.length, l->limit.span), springs = l->bundle.length / rings;
  const int uniform = UNIFORM_KERNELS && l->bundle.uniform.from == 0 && l->bundle.uniform.to == l->bundle.length;
  for (int32_t first = 0; first < rings; first++) {
    if (uniform && l->bundle.count == CLOTH_LANES) {
      project_ring(l, first, springs, 1, CLOTH_LANES);
    } else {
      project_ring(l, first, springs, 0, l->bundle.count);
    }
  }
}

#endif

/* All springs of a bundle: with each limit those that begin in even spans, then those that begin in odd ones. */
CLOTH_HOT CLOTH_SEPARATE void project_lines(const cloth *c, const distance_constraint *limits, int32_t count,
                                            const line_bundle *b) {
  for (int32_t n = 0; n < count; n++) {
    line_context l = {limits[n], *b, c, b};
    if (!l.limit.fast) {
      l.bundle.uniform.to = 0;
    }
#if WITH_WRAP
    if (b->is_ring) {
      project_rings(&l);
      continue;
    }
#endif
    for (int32_t first = 0; first < 2 * l.limit.span; first++) {
      project_links(&l, first);
    }
  }
}

static void project_columns(const cloth *c, vector_array x, const distance_constraint *limits, int32_t count) {
  for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
    int32_t left = c->grid.columns - column;
    vector_array first = {x.x + column, x.y + column, x.z + column};
    line_bundle b = {first,
                     floats_at(c, c->scratch.mobility) + column,
                     c->grid.columns,
                     c->grid.rows,
                     left < CLOTH_LANES ? left : CLOTH_LANES,
                     0,
                     column,
                     c->grid.columns,
                     1,
                     *uniform_run_of_columns(c, column)};
    project_lines(c, limits, count, &b);
  }
}

#if CLOTH_LANES > 1

/* From rows to lines side by side. Lanes that are no line are filled with the first. */
CLOTH_INLINE void transpose_block(const float *from, int32_t next, int32_t count, float *to) {
  lanes block[CLOTH_LANES];
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    block[n] = lanes_load(from + (n < count ? n : 0) * next);
  }
  lanes_transpose(block);
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    lanes_store(to + n * CLOTH_LANES, block[n]);
  }
}

CLOTH_HOT CLOTH_SEPARATE void transpose_rows(const float *row, int32_t columns, int32_t count, float *side) {
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    if (count == CLOTH_LANES) {
      transpose_block(row + column, columns, CLOTH_LANES, side + column * CLOTH_LANES);
    } else {
      transpose_block(row + column, columns, count, side + column * CLOTH_LANES);
    }
  }
}

/* And back. */
CLOTH_HOT CLOTH_SEPARATE void transpose_rows_back(float *row, int32_t columns, int32_t count, const float *side) {
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    lanes block[CLOTH_LANES];
    for (int32_t n = 0; n < CLOTH_LANES; n++) {
      block[n] = lanes_load(side + column * CLOTH_LANES + n * CLOTH_LANES);
    }
    lanes_transpose(block);
    int32_t left = columns - column;
    for (int32_t n = 0; n < CLOTH_LANES; n++) {
      if (count == CLOTH_LANES && left >= CLOTH_LANES) {
        lanes_store(row + n * columns + column, block[n]);
      } else if (n < count) {
        lanes_store_first(row + n * columns + column, block[n], left);
      }
    }
  }
}

/* Rows side by side. Their room is that of the forces, which are spent by then. */
static void project_transposed_rows(const cloth *c, vector_array x, int32_t row, int32_t count,
                                    const distance_constraint *limits, int32_t limit_count) {
  int32_t first = row * c->grid.columns;
  int32_t room = CLOTH_LANES * in_line_blocks(c->grid.columns);
  float *side = floats_at(c, c->scratch.residual);
  vector_array sides = {side, side + room, side + 2 * room};
  line_bundle b = {sides,         side + 3 * room, CLOTH_LANES, c->grid.columns, count,
                   is_wrapped(c), first,           1,           c->grid.columns, uniform_run_of_row(c, row)};
  for (int32_t n = 1; n < count; n++) {
    b.uniform = uniform_overlap(b.uniform, uniform_run_of_row(c, row + n), 0);
  }
  transpose_rows(x.x + first, c->grid.columns, count, sides.x);
  transpose_rows(x.y + first, c->grid.columns, count, sides.y);
  transpose_rows(x.z + first, c->grid.columns, count, sides.z);
  int all_uniform = UNIFORM_KERNELS && b.uniform.from == 0 && b.uniform.to == c->grid.columns;
  for (int32_t n = 0; n < limit_count; n++) {
    all_uniform &= limits[n].fast;
  }
  if (!all_uniform) {
    transpose_rows(floats_at(c, c->scratch.mobility) + first, c->grid.columns, count, side + 3 * room);
  }
  project_lines(c, limits, limit_count, &b);
  transpose_rows_back(x.x + first, c->grid.columns, count, sides.x);
  transpose_rows_back(x.y + first, c->grid.columns, count, sides.y);
  transpose_rows_back(x.z + first, c->grid.columns, count, sides.z);
}

#endif

static void project_rows(const cloth *c, vector_array x, const distance_constraint *limits, int32_t limit_count) {
#if CLOTH_LANES > 1
  if (transposes_rows(c)) {
    for (int32_t row = 0; row < c->grid.rows; row += CLOTH_LANES) {
      int32_t left = c->grid.rows - row;
      project_transposed_rows(c, x, row, left < CLOTH_LANES ? left : CLOTH_LANES, limits, limit_count);
    }
    return;
  }
#endif
  for (int32_t row = 0; row < c->grid.rows; row++) {
    int32_t i = row * c->grid.columns;
    vector_array first = {x.x + i, x.y + i, x.z + i};
    line_bundle b = {first, floats_at(c, c->scratch.mobility) + i,
                     1,     c->grid.columns,
                     1,     is_wrapped(c),
                     i,     1,
                     1,     uniform_run_of_row(c, row)};
    project_lines(c, limits, limit_count, &b);
  }
}

static void project_axis(const cloth *c, vector_array x, int32_t direction, const distance_constraint *limits,
                         int32_t count) {
  if (count > 0 && direction == WARP) {
    project_rows(c, x, limits, count);
  } else if (count > 0) {
    project_columns(c, x, limits, count);
  }
}

/* One sweep of strain limiting over the stretch springs. */
static void limit_strain(const cloth *c, vector_array x) {
  for (int32_t d = WARP; d <= WEFT; d++) {
    float rest = direction_rest(c, d);
    distance_constraint limit = make_constraint(1, rest * (1.0f - c->settings.strain_limit.max_compression),
                                                rest * (1.0f + c->settings.strain_limit.max_extension), 0.0f, 0.0f);
    project_axis(c, x, d, &limit, 1);
  }
}
