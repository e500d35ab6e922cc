#pragma once
#include "../solve/product.h"
#include "../solve/strips.h"
#include "../terms/air.h"
#include "../terms/pin_reactions.h"
#include "../terms/plate.h"
#include "../terms/springs.h"

/// Linearisation ///

/*
 * The right-hand side of a substep and the operator, row by row: inertia and gravity, springs, plate and air at the
 * places where the substep linearises.
 *
 *   b_i = W_i (x*_i - x_i + s h^2 g) + forces
 *
 * In: place, way, turn, bent, diagonal, coefficient rows. Out: residual = b, 0 at pins; springs; spring sums in
 * `inverse`; air. Scratch: row buffers.
 */

/* The row buffer of the blocks that springs of a direction bring from row `row` to the one below. */
CLOTH_INLINE float *down_blocks(const solve_arrays *a, int32_t row, int32_t direction) {
  return block_buffer(a, DOWNWARDS * (row & 1) + direction - WEFT);
}

/* The row buffer of the blocks that springs along the warp bring to the particle on the right, whatever the row. */
CLOTH_INLINE float *warp_blocks(const solve_arrays *a) {
  return block_buffer(a, 2 * DOWNWARDS);
}

static void clear_blocks_above(const solve_arrays *a, int32_t row) {
  for (int32_t d = WEFT; d < DIRECTIONS; d++) {
    clear_floats(down_blocks(a, row - 1, d) - (CLOTH_LANES == 1 ? 6 * BUFFER_PAD : BUFFER_PAD),
                 SYMMETRIC_FLOATS * (int32_t)a->buffer);
  }
}

/* What the linearisation of a row takes, copied. */
typedef struct linear_row {
  const float *x, *x_below, *way, *way_below, *turn, *turn_below, *coefficients, *factors;
  force_rows above, brought; /* forces of springs of the row above, and of the row's own */
  float *blocks_above[DOWNWARDS];
  float *blocks[DIRECTIONS]; /* blocks that the springs of the row bring to their other ends */
  float *springs;
  ptrdiff_t plane, buffer;
  int32_t are_plain; /* all springs of the row, see are_all_plain() */
} linear_row;

static linear_row linear_row_of(const solve_arrays *a, int32_t row) {
  const int32_t next = row + 1 < a->rows ? row + 1 : row;
  linear_row r = {.x = near_row(a->place, a->pitch, row),
                  .x_below = near_row(a->place, a->pitch, next),
                  .way = near_row(a->direction, a->pitch, row),
                  .way_below = near_row(a->direction, a->pitch, next),
                  .turn = near_row(a->turn, a->pitch, row),
                  .turn_below = near_row(a->turn, a->pitch, next),
                  .coefficients = a->coefficients,
                  .factors = a->factors ? a->factors + FACTOR_FLOATS * row * a->pitch : NULL,
                  .above = forces_of_row(a, row - 1),
                  .brought = forces_of_row(a, row),
                  .blocks[WARP] = warp_blocks(a),
                  .springs = a->springs ? a->springs + SPRING_FLOATS * row * a->pitch : NULL,
                  .plane = a->plane,
                  .buffer = a->buffer};
  for (int32_t d = WEFT; d < DIRECTIONS; d++) {
    r.blocks_above[d - WEFT] = down_blocks(a, row - 1, d);
    r.blocks[d] = down_blocks(a, row, d);
  }
  return r;
}

/* Goes on to the next row, which is the last one or not. */
CLOTH_INLINE void next_linear_row(linear_row *r, const solve_arrays *a, int32_t is_last) {
  const ptrdiff_t pitch = a->pitch, below = is_last ? 0 : NEAR_STEP * pitch;
  const force_rows brought = r->brought;
  r->x = r->x_below;
  r->x_below += below;
  r->way = r->way_below;
  r->way_below += below;
  r->turn = r->turn_below;
  r->turn_below += below;
  r->factors = r->factors ? r->factors + FACTOR_FLOATS * pitch : NULL;
  r->springs = r->springs ? r->springs + SPRING_FLOATS * pitch : NULL;
  r->brought = r->above;
  r->above = brought;
  for (int32_t d = WEFT; d < DIRECTIONS; d++) {
    float *blocks = r->blocks[d];
    r->blocks[d] = r->blocks_above[d - WEFT];
    r->blocks_above[d - WEFT] = blocks;
  }
}

/* The coefficients of a block of springs of a direction, with the factors of single ones. */
CLOTH_INLINE spring_coefficients coefficients_at(const linear_row *r, int32_t d, int32_t i) {
  const float *of_block = OWN(r->coefficients, COEFFICIENT_FLOATS, i, ROW_KINDS * d);
  spring_coefficients k = {.stiffness = lanes_load(of_block + ROW_STIFFNESS * CLOTH_LANES),
                           .tension = lanes_load(of_block + ROW_TENSION * CLOTH_LANES),
                           .turn = lanes_load(of_block + ROW_TURN * CLOTH_LANES),
                           .damping = lanes_load(of_block + ROW_DAMPING * CLOTH_LANES)};
  if (r->factors) {
    const lanes factor = lanes_load(OWN(r->factors, FACTOR_FLOATS, i, FACTOR_STIFFNESS + d));
    const lanes length = lanes_load(OWN(r->factors, FACTOR_FLOATS, i, FACTOR_LENGTH + d));
    k.stiffness = lanes_multiply(k.stiffness, factor);
    k.tension = lanes_multiply(lanes_multiply(k.tension, factor), length);
    k.turn = lanes_multiply(k.turn, factor);
    k.damping = lanes_keep(lanes_less(lanes_splat(0.0f), factor), k.damping);
  }
  return k;
}

/* How a block of springs of direction d, a constant, moves. */
CLOTH_INLINE spring_motion motion_at(const linear_row *r, int32_t d, int32_t i) {
  return (spring_motion){.d = along_springs(r->x, r->x_below, r->plane, d, i),
                         .way = along_springs(r->way, r->way_below, r->plane, d, i),
                         .turn = along_springs(r->turn, r->turn_below, r->plane, d, i)};
}

/* Stores the two floats of a block of springs, and the block that they bring to their other ends. */
CLOTH_INLINE void store_springs(const linear_row *r, int32_t d, int32_t i, const linear_spring *spring, lanes3 apart) {
  float *to = OWN(r->springs, SPRING_FLOATS, i, SPRING_ACROSS(d));
  lanes_store(to, spring->across);
  lanes_store(to + CLOTH_LANES, spring->along);
  const symmetric block = block_of_spring(spring->across, spring->along, apart);
  symmetric_store(r->blocks[d] + BLOCK_STEP * i, BLOCK_PLANE(r->buffer), block);
}

/* Linearises a block of springs of direction d, with the forces on their other ends and the blocks. `is_plain`: they
   are in the operator, and resist compression in full, without a limit. d, is_plain: constants. */
CLOTH_INLINE void linearise_block(const linear_row *r, const substep_terms *t, int32_t d, int32_t i, int32_t is_plain) {
  const spring_coefficients k = coefficients_at(r, d, i);
  const spring_motion m = motion_at(r, d, i);
  linear_spring spring = linearise_spring(t, is_plain || d > WEFT, &k, &m, is_plain ? 1.0f : t->spring[d].compression);
  force_store(force_row(&r->brought, d), r->buffer, i, lanes3_scale(m.d, spring.force));
  if (!is_plain && !t->spring[d].implicit) { spring.across = spring.along = lanes_splat(0.0f); }
  if (is_plain || r->springs) { store_springs(r, d, i, &spring, m.d); }
}

/* Linearises the springs of the directions `first` to `last` that start in a row, in one loop, as pointers and counters
   are the same. first, last, has_factors, is_plain: constants. */
CLOTH_INLINE void linearise_springs_as(const linear_row *row, const substep_terms *t, int32_t first, int32_t last,
                                       int32_t columns, int32_t has_factors, int32_t is_plain) {
  linear_row r = *row; /* the stores of lanes may alias it */
  r.factors = has_factors ? r.factors : NULL;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    CLOTH_UNROLL
    for (int32_t d = first; d <= last; d++) {
      linearise_block(&r, t, d, i, is_plain);
    }
  }
}

/* 1 if springs of direction d are in the operator, and resist compression in full, without a limit. */
static int32_t are_plain(const linear_row *r, const substep_terms *t, int32_t d) {
  const int32_t is_limited = d <= WEFT && t->limit > 0.0f, is_soft = t->spring[d].compression < 1.0f;
  return r->springs && t->spring[d].implicit && !is_limited && !is_soft;
}

static int32_t are_all_plain(const linear_row *r, const substep_terms *t) {
  return are_plain(r, t, WARP) && are_plain(r, t, WEFT) && are_plain(r, t, DIAGONAL) && are_plain(r, t, ANTIDIAGONAL);
}

/* The same of springs of any one direction. */
CLOTH_ONCE void linearise_any_springs(const linear_row *r, const substep_terms *t, int32_t d, int32_t columns) {
  if (are_plain(r, t, d)) {
    linearise_springs_as(r, t, d, d, columns, 1, 1);
  } else {
    linearise_springs_as(r, t, d, d, columns, 1, 0);
  }
}

/* The same of all springs of a row, which are plain. has_factors: a constant. */
CLOTH_INLINE void linearise_plain_springs(const linear_row *r, const substep_terms *t, int32_t columns, int32_t is_last,
                                          int32_t has_factors) {
  linearise_springs_as(r, t, WARP, WARP, columns, has_factors, 1);
  if (!is_last) { linearise_springs_as(r, t, WEFT, ANTIDIAGONAL, columns, has_factors, 1); }
}

/* Linearises all springs that start in a row. `is_last`: there is no row below. */
CLOTH_SEPARATE void linearise_springs_of_row(const linear_row *r, const substep_terms *t, int32_t columns,
                                             int32_t is_last) {
  if (!r->are_plain) {
    for (int32_t d = WARP; d <= (is_last ? WARP : ANTIDIAGONAL); d++) {
      linearise_any_springs(r, t, d, columns);
    }
  } else if (r->factors) {
    linearise_plain_springs(r, t, columns, is_last, 1);
  } else {
    linearise_plain_springs(r, t, columns, is_last, 0);
  }
}

/* Copies the blocks of one column of a row to another, beside the seam of a tube. */
static void copy_block(float *row, ptrdiff_t plane, int32_t from, int32_t to) {
  CLOTH_UNROLL
  for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
    float *part = row + n * BLOCK_PLANE(plane);
    part[BLOCK_STEP * to] = part[BLOCK_STEP * from];
  }
  (void)plane;
}

/* Closes what the springs of a row bring. */
static void close_rings(const linear_row *r, int32_t columns) {
  close_forces(&r->brought, r->buffer, columns, WARP);
  if (r->springs) {
    copy_block(r->blocks[WARP], r->buffer, columns - 1, -1);
    copy_block(r->blocks[DIAGONAL], r->buffer, columns - 1, -1);
    copy_block(r->blocks[ANTIDIAGONAL], r->buffer, 0, columns);
  }
}

/* One entry of the sum of the blocks of the springs of a block of particles. */
CLOTH_INLINE lanes entry_of_springs(const linear_row *r, int32_t i, int32_t entry, int32_t is_last) {
  const ptrdiff_t from = BLOCK_STEP * (ptrdiff_t)i + entry * BLOCK_PLANE(r->buffer);
  lanes sum = lanes_add(lanes_load(r->blocks[WARP] + from - BLOCK_STEP), lanes_load(r->blocks[WARP] + from));
  sum = lanes_add(sum, lanes_load(r->blocks_above[0] + from));
  sum = lanes_add(sum, lanes_load(r->blocks_above[1] + from - BLOCK_STEP));
  sum = lanes_add(sum, lanes_load(r->blocks_above[2] + from + BLOCK_STEP));
  if (!is_last) {
    sum = lanes_add(sum, lanes_load(r->blocks[WEFT] + from));
    sum = lanes_add(sum, lanes_load(r->blocks[DIAGONAL] + from));
    sum = lanes_add(sum, lanes_load(r->blocks[ANTIDIAGONAL] + from));
  }
  return sum;
}

/* Adds up the blocks of the springs of a row, in `inverse`: 0 at pins. */
CLOTH_INLINE void sum_blocks_of_row(const solve_arrays *a, const linear_row *row, int32_t place, int32_t is_last) {
  const linear_row r = *row;
  const int32_t columns = a->columns;
  const float *diagonal = a->diagonal + place;
  float *to = a->inverse + SYMMETRIC_FLOATS * place;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(diagonal + i));
    if (is_skipped(moves)) {
      own_block_store(to, i, symmetric_identity(lanes_splat(0.0f)));
      continue;
    }
    CLOTH_UNROLL
    for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
      lanes_store(OWN(to, SYMMETRIC_FLOATS, i, n), lanes_keep(moves, entry_of_springs(&r, i, n, is_last)));
    }
  }
}

/* What the forces of particles begin with: gravity, and the plate. */
typedef struct first_forces {
  lanes3 fall;
  lanes plate; /* factor of its forces */
  int32_t bends;
  wind_row *wind; /* with air */
} first_forces;

static first_forces first_forces_of(const cloth *c, const solve_arrays *a, const substep_terms *t, wind_row *wind) {
  return (first_forces){.fall = lanes3_splat(vector_scale_work(inputs_of(c)->gravity, t->share * t->h * t->h)),
                        .plate = lanes_splat(plate_scale(a, t, 1.0f)),
                        .bends = t->bends,
                        .wind = wind};
}

/* Those of a block of particles of mass ratios `mass`; `b` holds the forces of the plate. */
CLOTH_INLINE lanes3 first_force(const first_forces *f, const float *b, int32_t i, lanes mass) {
  const lanes3 force = lanes3_scale(f->fall, mass);
  return f->bends ? lanes3_subtract(force, lanes3_scale(own_load(b, i), f->plate)) : force;
}

/* Stores what the forces of a row begin with, the air among them, and the air's blocks. */
static void start_in_air(const solve_arrays *a, const first_forces *f, const linear_row *r, int32_t row) {
  take_wind_row(f->wind, a, row);
  const wind_row *wind = f->wind;
  float *diagonal = a->diagonal + wind->place, *air = a->air + 3 * wind->place, *b = a->residual + 3 * wind->place;
  const int32_t columns = a->columns, drags = wind->w.drag > 0.0f;
  const linear_row ways = {.way = r->way, .plane = r->plane};
  EACH_ROW_BLOCK(i, ends, columns, {
    const lanes held = lanes_load(diagonal + i);
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), held);
    const wind_force force = wind_on_block(wind, i, ends, near_load(ways.way, ways.plane, i));
    own_store(b, i, lanes3_add(first_force(f, b, i, held), force.force));
    own_store(air, i, lanes3_keep(moves, lanes3_quantise(lanes3_scale(force.normal, force.root), WORK_ROUNDER)));
    if (drags) { lanes_store(diagonal + i, lanes_keep(moves, lanes_add(held, force.held))); }
  });
}

/* Adds up the forces on a row, in `residual`, 0 at pins unless `keeps_pins`; `is_started`: to those in it. */
CLOTH_INLINE void sum_forces_of_row(const solve_arrays *a, const first_forces *first, const linear_row *row,
                                    int32_t place, int32_t is_last, int32_t is_started, int32_t keeps_pins) {
  const linear_row r = *row;
  const first_forces f = *first;
  const int32_t columns = a->columns;
  const float *diagonal = a->diagonal + place;
  float *b = a->residual + 3 * place;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes held = lanes_load(diagonal + i);
    const lanes_mask kept = keeps_pins ? lanes_first(columns - i) : lanes_less(lanes_splat(0.0f), held);
    if (is_skipped(kept)) {
      own_store(b, i, lanes3_splat(vector(0.0f, 0.0f, 0.0f)));
      continue;
    }
    const lanes3 start = is_started ? own_load(b, i) : first_force(&f, b, i, held);
    const lanes3 force = lanes3_subtract(start, forces_of_springs(&r.above, &r.brought, r.buffer, i, is_last));
    own_store(b, i, lanes3_quantise(lanes3_keep(kept, force), WORK_ROUNDER));
  }
}

/* Springs, forces and blocks of a row. `is_last`: there is no row below; a constant. */
CLOTH_INLINE void linearise_row(const cloth *c, const solve_arrays *a, const substep_terms *t, const linear_row *r,
                                int32_t row, const first_forces *f, int32_t is_last) {
  const int32_t place = row * a->pitch, keeps_pins = notes_pins(c); /* step/reactions.h clears them */
  linearise_springs_of_row(r, t, a->columns, is_last);
  if (a->is_ring) { close_rings(r, a->columns); }
  if (a->air) { start_in_air(a, f, r, row); }
  sum_forces_of_row(a, f, r, place, is_last, a->air != NULL, keeps_pins);
  if (a->springs) { sum_blocks_of_row(a, r, place, is_last); }
}

/* What the springs of the row above bring to the first row of a strip: 0 for the first of all. Their two floats go
   where the row itself will store its own, as the row above belongs to another strip. */
static void start_strip(const solve_arrays *a, const substep_terms *t, int32_t first) {
  if (!WITH_WORKERS || first == 0) {
    clear_forces(a, -1);
    if (a->springs) { clear_blocks_above(a, 0); }
    return;
  }
  linear_row above = linear_row_of(a, first - 1);
  above.springs = a->springs ? a->springs + SPRING_FLOATS * first * a->pitch : NULL;
  above.are_plain = are_all_plain(&above, t);
  linearise_springs_of_row(&above, t, a->columns, 0);
  if (a->is_ring) { close_rings(&above, a->columns); }
}

/* The forces of the plate on a strip, in `residual`. */
CLOTH_ONCE void bend_places(const solve_arrays *a, const substep_terms *t, const stage_piece *p) {
  const plate_rows plate = plate_of(a, t, t->viscosity > 0.0f ? a->bent : a->place, a->residual, 1.0f);
  if (t->bends) { bend_plate(&plate, p->first, p->end); }
}

CLOTH_HOT CLOTH_SEPARATE void linearise_strip(const cloth *c, stage_piece *p) {
  const substep_terms *t = (const substep_terms *)p->what;
  const solve_arrays arrays = arrays_of_piece(c, p), *a = &arrays;
  const int32_t last = a->rows - 1;
  wind_row wind;
  start_wind(&wind, c, a, t);
  const first_forces first = first_forces_of(c, a, t, &wind);
  start_strip(a, t, p->first);
  bend_places(a, t, p);
  linear_row r = linear_row_of(a, p->first);
  r.are_plain = are_all_plain(&r, t);
  for (int32_t row = p->first; row < p->end; row++) {
    if (row < last) {
      linearise_row(c, a, t, &r, row, &first, 0);
    } else {
      linearise_row(c, a, t, &r, row, &first, 1);
    }
    next_linear_row(&r, a, row + 2 > last);
  }
}

/* Forces and blocks of all rows. */
CLOTH_ONCE void linearise(const cloth *c, const substep_terms *t) {
  run_strips(c, linearise_strip, t);
}
