#pragma once
#include "access.h"
#include "compiler.h"
#include "constraint.h"
#include "costs.h"
#include "lanes.h"
#include "layout.h"
#include "stiffness.h"
#include "types.h"
#include "uniform.h"

/// Lines of constraints ///

/*
 * Projection of all stretch springs along rows or along columns, and strain limiting (Provot 1995). The springs of a
 * row share no particle with those of another row, nor do the springs of columns. So lanes take CLOTH_LANES lines side
 * by side and go with each through all its springs, from the coarsest span to the finest, in red-black order: no two
 * springs of a colour share a particle, which makes the result the same for any number of lanes.
 * Columns lie side by side in memory. Rows are transposed into scratch and back, which costs less than gathering the
 * springs of one row into lanes.
 * In: the positions to move, mostly the predicted ones; scratch.mobility, the maps, scratch.uniform_runs.
 * Out: the positions.
 * Scratch: project_transposed_rows() keeps the transposed rows in scratch.residual, three components and then the
 * mobilities; the forces that it held are spent by then.
 */

/* A bundle of up to CLOTH_LANES lines. */
typedef struct line_bundle {
  vector_array x;               /* positions of the first element of each line */
  const float *mobility;        /* likewise */
  int32_t next;                 /* floats from an element of a line to the next one, of positions and mobilities */
  int32_t length;               /* elements of a line */
  int32_t count;                /* number of lines; the other lanes compute what is not stored */
  int32_t is_ring;              /* 1 if the first element follows the last */
  int32_t first, along, across; /* particles: of the first element, from one to the next, from one line to the next */
  uniform_run uniform;          /* elements that are uniform in all lines */
} line_bundle;

/* Values of a map at an element of each line. */
static lanes line_values(const line_bundle *b, const float *map, int32_t element) {
  return lanes_gather(map + b->first + element * b->along, b->across, b->count);
}

/* Sets what the maps say of the springs between two elements: mass ratios and stiffness factors. */
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

/* A constraint applied to a bundle. Both are copies, which the compiler can keep in registers: the stores of positions
   may alias whatever a pointer leads to. add_maps() takes the bundle by its address, so it gets the original. */
typedef struct line_context {
  distance_constraint constraint;
  line_bundle bundle;
  const cloth *c;
  const line_bundle *lines;
} line_context;

/* Projects the springs from an element to the one `span` further, of all lines. */
CLOTH_INLINE void project_link(const line_context *l, int32_t element) {
  const int32_t next = l->bundle.next, count = l->bundle.count;
  const int32_t i = element * next, j = i + l->constraint.span * next;
  lanes3 ends[2] = {lanes3_load(l->bundle.x, i), lanes3_load(l->bundle.x, j)};
  if (UNIFORM_KERNELS && element >= l->bundle.uniform.from && element + l->constraint.span < l->bundle.uniform.to) {
    project_uniform(&l->constraint, &ends[0], &ends[1]);
  } else {
    spring_ends properties = line_ends(l->c, l->lines, element, element + l->constraint.span);
    project_general(&l->constraint, &properties, &ends[0], &ends[1]);
  }
  lanes3_store(l->bundle.x, i, ends[0], count);
  lanes3_store(l->bundle.x, j, ends[1], count);
}

/* Projects the uniform springs of a full bundle, from `element` on every 2 * span elements. Returns the first element
   of the sequence that begins no uniform spring; `element` itself if it lies before the uniform run. */
CLOTH_INLINE int32_t project_uniform_links(const line_context *l, int32_t element) {
  const int32_t span = l->constraint.span, step = span * l->bundle.next;
  const int32_t end = element < l->bundle.uniform.from ? 0 : l->bundle.uniform.to - span;
  vector_array x = {l->bundle.x.x + element * l->bundle.next, l->bundle.x.y + element * l->bundle.next,
                    l->bundle.x.z + element * l->bundle.next};
  for (; element < end; element += 2 * span) {
    lanes3 from = lanes3_load(x, 0);
    lanes3 to = lanes3_load(x, step);
    project_uniform(&l->constraint, &from, &to);
    lanes3_store(x, 0, from, CLOTH_LANES);
    lanes3_store(x, step, to, CLOTH_LANES);
    x.x += 2 * step;
    x.y += 2 * step;
    x.z += 2 * step;
  }
  return element;
}

/* Projects the springs that begin at `element` and every 2 * span elements after it: no two of them share an end. */
CLOTH_INLINE void project_links(const line_context *l, int32_t element) {
  const int32_t span = l->constraint.span;
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
 * Gauss-Seidel round a tube would leave a visible trace at the column where it starts. So rings use Jacobi: all springs
 * of a span see the same positions, and each particle moves by this share of the sum of both its springs' corrections.
 * With 0.8 gathered tubes oscillate from substep to substep and never rest, which test_gathered_tube_rests() shows;
 * smaller values correct less of the stretch in a sweep.
 */
#define RING_SHARE 0.5f

/* Shares of both ends of the springs between two elements. */
CLOTH_INLINE end_shares ring_shares(const line_context *l, int32_t element, int32_t other, lanes3 d) {
  const uniform_run uniform = l->bundle.uniform;
  if (UNIFORM_KERNELS && element >= uniform.from && other >= uniform.from && element < uniform.to &&
      other < uniform.to) {
    lanes share = uniform_share(&l->constraint, d);
    end_shares shares = {share, share};
    return shares;
  }
  spring_ends properties = line_ends(l->c, l->lines, element, other);
  return general_shares(&l->constraint, &properties, d);
}

/* Projects `springs` springs that close to a ring, spring after spring, starting with the one that ends at `first`.
   That one is evaluated again at the end: each particle needs the corrections of the spring before and after it. */
CLOTH_INLINE void project_ring(const line_context *l, int32_t first, int32_t springs, int uniform, int32_t count) {
  const int32_t next = l->bundle.next, length = l->bundle.length, span = l->constraint.span;
  const lanes3 start = lanes3_load(l->bundle.x, first * next);
  int32_t element = first < span ? first + length - span : first - span;
  lanes3 here = lanes3_load(l->bundle.x, element * next);
  lanes3 correction_before = here; /* of `here` by the spring that ends there */
  for (int32_t n = 0; n <= springs; n++) {
    int32_t other = element + span < length ? element + span : element + span - length;
    lanes3 there = other == first ? start : lanes3_load(l->bundle.x, other * next);
    lanes3 d = lanes3_subtract(there, here);
    lanes share = uniform ? uniform_share(&l->constraint, d) : d.x;
    end_shares shares = {share, share};
    if (!uniform) {
      shares = ring_shares(l, element, other, d);
    }
    if (n > 0) {
      lanes3 displacement = constraint_correction(
          lanes3_subtract(constraint_correction(d, shares.from), correction_before), lanes_splat(RING_SHARE));
      lanes3_store(l->bundle.x, element * next, lanes3_add(here, displacement), count);
    }
    correction_before = constraint_correction(d, shares.to);
    here = there;
    element = other;
  }
}

/* Number of separate rings that the springs across `span` elements form: the greatest common divisor of length and
   span, which is a power of two. */
static int32_t rings_of(int32_t length, int32_t span) {
  while (length % span != 0) {
    span /= 2;
  }
  return span;
}

/* Projects all springs of a span. Full bundles of rings that are uniform all round have a loop of their own. */
CLOTH_INLINE void project_rings(const line_context *l) {
  const int32_t rings = rings_of(l->bundle.length, l->constraint.span), springs = l->bundle.length / rings;
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

/* Projects all springs of a bundle, constraint by constraint: first those that begin in even spans (the red ones), then
   those that begin in odd spans (the black ones). */
CLOTH_HOT CLOTH_SEPARATE void project_lines(const cloth *c, const distance_constraint *constraints, int32_t count,
                                            const line_bundle *b) {
  for (int32_t n = 0; n < count; n++) {
    line_context l = {constraints[n], *b, c, b};
    if (!l.constraint.fast) {
      l.bundle.uniform.to = 0;
    }
#if WITH_WRAP
    if (b->is_ring) {
      project_rings(&l);
      continue;
    }
#endif
    for (int32_t first = 0; first < 2 * l.constraint.span; first++) {
      project_links(&l, first);
    }
  }
}

static void project_columns(const cloth *c, vector_array x, const distance_constraint *constraints, int32_t count) {
  for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
    int32_t left = c->grid.columns - column;
    vector_array first = {x.x + column, x.y + column, x.z + column};
    line_bundle b = {.x = first,
                     .mobility = floats_at(c, c->scratch.mobility) + column,
                     .next = c->grid.columns,
                     .length = c->grid.rows,
                     .count = left < CLOTH_LANES ? left : CLOTH_LANES,
                     .is_ring = 0,
                     .first = column,
                     .along = c->grid.columns,
                     .across = 1,
                     .uniform = *uniform_run_of_columns(c, column)};
    project_lines(c, constraints, count, &b);
  }
}

#if CLOTH_LANES > 1

/* Transposes a block of `count` rows and CLOTH_LANES columns. Rows beyond `count` are copies of the first: what lanes
   without a line compute stays finite. */
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

/* Copies `count` rows to `side`, where element n of all of them lies in the lanes from n * CLOTH_LANES on. */
CLOTH_HOT CLOTH_SEPARATE void transpose_rows(const float *row, int32_t columns, int32_t count, float *side) {
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    if (count == CLOTH_LANES) {
      transpose_block(row + column, columns, CLOTH_LANES, side + column * CLOTH_LANES);
    } else {
      transpose_block(row + column, columns, count, side + column * CLOTH_LANES);
    }
  }
}

/* Copies transposed rows from `side` back to where they were. */
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

/* Projects `count` rows, transposed into scratch.residual: the three components of the positions, then the mobilities,
   which only the general kernel reads. */
static void project_transposed_rows(const cloth *c, vector_array x, int32_t row, int32_t count,
                                    const distance_constraint *constraints, int32_t constraint_count) {
  int32_t first = row * c->grid.columns;
  int32_t room = CLOTH_LANES * in_line_blocks(c->grid.columns);
  float *side = floats_at(c, c->scratch.residual);
  vector_array sides = {side, side + room, side + 2 * room};
  line_bundle b = {.x = sides,
                   .mobility = side + 3 * room,
                   .next = CLOTH_LANES,
                   .length = c->grid.columns,
                   .count = count,
                   .is_ring = is_wrapped(c),
                   .first = first,
                   .along = 1,
                   .across = c->grid.columns,
                   .uniform = uniform_run_of_row(c, row)};
  for (int32_t n = 1; n < count; n++) {
    b.uniform = uniform_overlap(b.uniform, uniform_run_of_row(c, row + n), 0);
  }
  transpose_rows(x.x + first, c->grid.columns, count, sides.x);
  transpose_rows(x.y + first, c->grid.columns, count, sides.y);
  transpose_rows(x.z + first, c->grid.columns, count, sides.z);
  int all_uniform = UNIFORM_KERNELS && b.uniform.from == 0 && b.uniform.to == c->grid.columns;
  for (int32_t n = 0; n < constraint_count; n++) {
    all_uniform &= constraints[n].fast;
  }
  if (!all_uniform) {
    transpose_rows(floats_at(c, c->scratch.mobility) + first, c->grid.columns, count, side + 3 * room);
  }
  project_lines(c, constraints, constraint_count, &b);
  transpose_rows_back(x.x + first, c->grid.columns, count, sides.x);
  transpose_rows_back(x.y + first, c->grid.columns, count, sides.y);
  transpose_rows_back(x.z + first, c->grid.columns, count, sides.z);
}

#endif

/* Rows are transposed unless the sheet is narrow or the build scalar: then each row is a bundle of one line. */
static void project_rows(const cloth *c, vector_array x, const distance_constraint *constraints, int32_t count) {
#if CLOTH_LANES > 1
  if (transposes_rows(c)) {
    for (int32_t row = 0; row < c->grid.rows; row += CLOTH_LANES) {
      int32_t left = c->grid.rows - row;
      project_transposed_rows(c, x, row, left < CLOTH_LANES ? left : CLOTH_LANES, constraints, count);
    }
    return;
  }
#endif
  for (int32_t row = 0; row < c->grid.rows; row++) {
    int32_t i = row * c->grid.columns;
    vector_array first = {x.x + i, x.y + i, x.z + i};
    line_bundle b = {.x = first,
                     .mobility = floats_at(c, c->scratch.mobility) + i,
                     .next = 1,
                     .length = c->grid.columns,
                     .count = 1,
                     .is_ring = is_wrapped(c),
                     .first = i,
                     .along = 1,
                     .across = 1,
                     .uniform = uniform_run_of_row(c, row)};
    project_lines(c, constraints, count, &b);
  }
}

/* Projects the springs along the warp, which lie in rows, or along the weft, which lie in columns. */
static void project_axis(const cloth *c, vector_array x, int32_t direction, const distance_constraint *constraints,
                         int32_t count) {
  if (count > 0 && direction == WARP) {
    project_rows(c, x, constraints, count);
  } else if (count > 0) {
    project_columns(c, x, constraints, count);
  }
}

/* One sweep of strain limiting: brings the stretch springs of one cell back to strains between -max_compression and
   max_extension, without compliance. */
static void limit_strain(const cloth *c, vector_array x) {
  for (int32_t d = WARP; d <= WEFT; d++) {
    float rest = direction_rest(c, d);
    distance_constraint limit = make_constraint(1, rest * (1.0f - c->settings.strain_limit.max_compression),
                                                rest * (1.0f + c->settings.strain_limit.max_extension), 0.0f, 0.0f);
    project_axis(c, x, d, &limit, 1);
  }
}

/* Cost per particle of a sweep of strain limiting: two springs, and a line, as rows and columns together are no more
   than the particles. */
static uint32_t strain_limit_cost(const cloth *c) {
  return 2 * COST_GENERAL + COST_RUN + (is_wrapped(c) ? COST_RING : 0u);
}
