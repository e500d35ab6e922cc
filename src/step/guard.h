#pragma once
#include "../contact/cell_memory.h"
#include "../contact/cell_press.h"
#include "../contact/law.h"
#include "../contact/press.h"
#include "../solve/free_pieces.h"
#include "../solve/levels.h"
#include "../solve/product.h"
#include "../solve/solve.h"
#include "../terms/air.h"
#include "../terms/bounds.h"
#include "../terms/clamps.h"
#include "../terms/plate.h"
#include "../terms/springs.h"
#include "linearise.h"
#include "momentum.h"
#include "places.h"
#include "plan.h"

/// A bound on the energy ///

/*
 * A step solved to the end never has more energy than it began with. Few iterations of a linearised solve can leave
 * more: what they have not solved, and what turning makes of second order. So while pins rest the energy itself is
 * compared, over the ways d of the substep:
 *
 *   E(x_n + d, d / h) - E(x_n, f v) - work of the air along d
 *
 * with springs, plate, clamps, gravity and kinetic energy. While it is above 0 the ways are shortened towards the
 * motion as a whole (momentum.h), by what the kinetic energy of the rest of the motion allows; momentum and angular
 * momentum stay. Where the ways are 0 nothing happens: what rests stays at rest.
 *
 * The solve itself tells by how much the energy can rise. For the ways d = w + y, w the prediction's, that is
 *
 *   - w . r - 1/2 y . M y - 1/2 d . H d
 *
 * less what is damped, r being what is left of the residual and H the second derivative of the springs and the plate:
 * y . r is 0 of conjugate gradients. A solve that has come to its end takes energy; of one that has not what is left
 * along the prediction may give more than the last change of the potential tells, a hundred times as much where a sheet
 * swings in its plane. The last step alpha p has no product A p; it changes the potential by - alpha r . z / 2, and the
 * energy by alpha w . M p besides. So from y and r before that step, all at hand, the energy rises by at most
 *
 *   - w . r - 1/2 y . M y + alpha w . M p - alpha r . z / 2
 *
 * with the air's block in M there. The energies are compared where this is above 1/2 y . M y, as the springs take about
 * as much by d . H d: above 0 nothing gains either, but a plain sheet is compared in 5 substeps of 60 rather than in
 * none. Cloth that nothing holds has another solution by then: its energies are compared where the last iteration has
 * still changed the potential by more than a share of the kinetic energy. They are compared, too, wherever springs are
 * stiff, uneven or explicit, of which the second derivative tells less, and where pins have just stopped: another solve
 * that has come to its end needs no bound. Cloth that touches colliders at rest is always compared, with the energy of
 * contact and the work of friction (contact/press.h): the tangents of contacts are predicted one by one, so that the
 * solve need not lead down; its ways are shortened towards rest, as a motion as a whole would lead into the collider.
 * So is cloth with tethers or targets, with the energy of these (terms/bounds.h): what neighbours carry to the end of a
 * tether would be on and off in turn for ever. There is no bound where a pin, a target or a collider that is touched
 * moves, and does work, nor for cloth in several pieces, which move as a whole each for itself.
 *
 * In: solution, direction and last step, state. Out: solution, which holds all if the energy is compared: the last step
 * is 0 then. Scratch: place = x_n (put back where colliders may be), direction, bent = d, residual; row buffers.
 */

/* Share of the energy given beside the cloth's own, see given_energy(), that no rise of held cloth is told apart from:
   nobody sees it, and of cloth at rest roundings are left. */
#define GIVEN_SHARE 1.0e-3f
/* Share of the kinetic energy by which the last iteration may still change the potential of cloth that nothing holds,
   of whose energy most is that of its motion as a whole: with 1e-3 a tumbling sheet of 48 x 48 gains .017 of its energy
   (tests/conservation.c, free flight). */
#define FREE_UNSOLVED_SHARE 1.0e-4f
/* Cloth counts as if it also had this share of the kinetic energy of a substep's free fall, a 32nd of its speed. */
#define LEAST_MOTION 1.0e-3f
/* Times that ways are shortened in a substep, at most. */
#define MOST_SHORTENINGS 3
/* A rise of less than this share of the kinetic energy is rounding. */
#define ROUNDED_RISE 1.0e-5f
/* Shortened ways have this much less energy than they may, as potential energy changes, too; and ways are shortened to
   an eighth at once. They never become 0: cloth that does not move does the same in every substep, and hangs in the
   air.
 */
#define RISE_MARGIN 1.1f
#define LEAST_SHORTENING 0.125f

/* Below these a spring does not lengthen, 2^-56 [m], and does not pull, 2^-70. */
#define LEAST_WAY 1.3877787807814457e-17f
#define LEAST_PULL 8.470329472543003e-22f

/* 1 if no pin of the members moves in the substep. */
static int do_pins_rest(const solve_group *s) {
  EACH_MEMBER(s, m, {
    const vector_array v = vectors_at(m->c, m->c->state.velocity);
    for (int32_t i = next_step_held(m->c, 0); i < m->c->count; i = next_step_held(m->c, i + 1)) {
      if (!vector_is_zero(vector_load(v, i))) { return 0; }
    }
  });
  return 1;
}

/* 1 in the first substep of a step if pins of a member rest that are new or have moved in the substep before. Where
   they stop the prediction leads into them, and a solve that has come to its end may gain, as springs turn far. */
static int have_pins_stopped(const cloth *c) {
  if (!c->state.velocity_history || statistics_of(c)->substeps > 0) { return 0; }
  const vector_array v = vectors_at(c, c->state.velocity), before = history_of(c, 1);
  for (int32_t i = next_step_held(c, 0); i < c->count; i = next_step_held(c, i + 1)) {
    if (vector_is_zero(vector_load(v, i)) && !vector_is_zero(vector_load(before, i))) { return 1; }
  }
  return 0;
}

/* place = x_n, direction = the prediction's way, solution = all of y, and bent = d, the way over the substep. */
CLOTH_SEPARATE void set_ways(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const prediction_terms p = prediction_of(c, t);
  const lanes last_step = lanes_splat(workspace_of(c)->last_step);
  clear_near_pads(a->bent, a->pitch, a->rows, (int32_t)a->plane);
  EACH_PLACE(a, row, i, place, {
    const int32_t particle = row * a->columns + i;
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + place));
    const lanes3 y = solution_with(a, row, i, last_step, has_solution);
    const lanes3 predicted = predicted_way(&p, particle, moves);
    const lanes3 d = lanes3_add(predicted, lanes3_keep(moves, y));
    own_store(a->solution, place, y);
    near_store(near_row(a->direction, a->pitch, row), a->plane, i, predicted);
    near_store(near_row(a->bent, a->pitch, row), a->plane, i, lanes3_quantise(d, WORK_ROUNDER));
    near_store(near_row(a->place, a->pitch, row), a->plane, i,
               lanes3_quantise(lanes3_load(p.x, particle), STATE_ROUNDER));
  });
  close_rows(c, a->place);
  close_rows(c, a->bent);
  workspace_of(c)->last_step = 0.0f;
}

/* 1 if contacts may leave something behind. */
static int leaves_contacts(const cloth *c) {
  return WITH_COLLIDERS && c->scratch.touches && collider_end(c) > 0;
}

/* place = where the springs were linearised, again, as what contacts leave behind is told from there. */
CLOTH_SEPARATE void restore_places(const cloth *c) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const vector_array x = vectors_at(c, c->state.position);
  EACH_PLACE(a, row, i, place, {
    const lanes3 way = near_load(near_row(a->direction, a->pitch, row), a->plane, i);
    const lanes3 to = lanes3_add(lanes3_load(x, row * a->columns + i), way);
    near_store(near_row(a->place, a->pitch, row), a->plane, i, lanes3_quantise(to, STATE_ROUNDER));
  });
  close_rows(c, a->place);
}

/* By how much the square of the part rises. */
CLOTH_INLINE lanes square_rise(const changed_part *p) {
  return lanes_multiply(p->change, lanes_add(p->before, p->after));
}

/* By how much the energy of the springs of a family, over k', rises as they get `longer` from `over` their rest length
   on. */
CLOTH_INLINE lanes limited_spring_rise(const substep_terms *t, int32_t d, lanes rest, lanes over, lanes longer) {
  const lanes half = lanes_splat(0.5f);
  const changed_part stretch = part_within(over, longer, 0.0f, NO_END);
  const changed_part compression = part_within(over, longer, -NO_END, 0.0f);
  const lanes pushing = lanes_multiply(square_rise(&compression), lanes_splat(t->spring[d].compression));
  lanes rise = lanes_multiply(half, lanes_add(square_rise(&stretch), pushing));
  if (d <= WEFT && t->limit > 0.0f) { /* the integral of the branch of the strain limit */
    const lanes width =
        lanes_maximum(lanes_multiply(rest, lanes_splat(LIMIT_WIDTH * t->limit)), lanes_splat(WORK_QUANTUM));
    const lanes q = lanes_divide(lanes_subtract(over, lanes_multiply(rest, lanes_splat(t->limit))), width);
    const lanes more = lanes_divide(longer, width);
    const changed_part in = part_within(q, more, 0.0f, 1.0f);
    const changed_part out = part_within(lanes_subtract(q, lanes_splat(1.0f)), more, 0.0f, NO_END);
    const lanes squares =
        lanes_add(lanes_multiply(in.before, lanes_add(in.before, in.after)), lanes_multiply(in.after, in.after));
    const lanes cube = lanes_multiply(lanes_multiply(in.change, squares), lanes_splat(1.0f / 6.0f));
    const lanes square = lanes_multiply(half, lanes_add(square_rise(&out), out.change));
    const lanes scale = lanes_multiply(lanes_multiply(width, width), lanes_splat(t->limit_stiffness));
    rise = lanes_add(rise, lanes_multiply(scale, lanes_flush(lanes_add(cube, square))));
  }
  return lanes_flush_below(rise, LEAST_SHARE);
}

/* What the energy of a row depends on. */
typedef struct energy_row {
  const cloth *c;
  const solve_arrays *a;
  const substep_terms *t;
  linear_row r;  /* its ways are d */
  wind_row wind; /* with air */
  cloth_vector centre;
  int32_t row, is_plain; /* is_plain: springs resist compression in full, without a strain limit */
} energy_row;

/* By how much the energy of a block of springs rises over the way. `is_plain`: see energy_row; a constant. */
CLOTH_INLINE lanes spring_rise(const linear_row *r, const substep_terms *t, int32_t d, int32_t i, int32_t is_plain) {
  const spring_coefficients k = coefficients_at(r, d, i);
  const lanes3 before = along_springs(r->x, r->x_below, r->plane, d, i);
  const lanes3 change = along_springs(r->way, r->way_below, r->plane, d, i);
  const lanes3 after = lanes3_add(before, change);
  const lanes least = lanes_splat(LEAST_SQUARED_LENGTH);
  const lanes short_ = lanes_square_root(lanes_maximum(lanes3_dot(before, before), least));
  const lanes long_ = lanes_square_root(lanes_maximum(lanes3_dot(after, after), least));
  /* l' - l from the difference of the squares, which rounds less; 1/2 k' (l' - l) (l' + l - 2 L) of plain springs */
  const lanes sum = lanes_add(long_, short_);
  const lanes way = lanes_divide(lanes3_dot(change, lanes3_add(before, after)), sum);
  const lanes longer = lanes_flush_below(way, LEAST_WAY);
  if (!is_plain) {
    const lanes rest = lanes_divide(k.tension, lanes_maximum(k.stiffness, lanes_splat(WORK_QUANTUM)));
    return lanes_multiply(k.stiffness, limited_spring_rise(t, d, rest, lanes_subtract(short_, rest), longer));
  }
  const lanes pull = lanes_multiply(lanes_multiply(lanes_splat(0.5f), k.stiffness), sum);
  return lanes_multiply(longer, lanes_flush_below(lanes_subtract(pull, k.tension), LEAST_PULL));
}

/* The energy of the springs that start in a row. `directions`, `is_plain`: constants. */
CLOTH_INLINE void springs_rise(const energy_row *e, row_sum *sum, int32_t directions, int32_t is_plain) {
  const linear_row r = e->r; /* copied, as the sums of lanes may alias it */
  const int32_t columns = e->a->columns;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    lanes rise = spring_rise(&r, e->t, WARP, i, is_plain);
    CLOTH_UNROLL
    for (int32_t d = WEFT; d < directions; d++) {
      rise = lanes_add(rise, spring_rise(&r, e->t, d, i, is_plain));
    }
    row_sum_add(sum, i, lanes_within(rise, columns - i));
  }
}

/* The energy of the plate over the ways of a block: 1/2 (A d) . (2 x + d). */
CLOTH_INLINE lanes plate_rise(const energy_row *e, int32_t i, lanes3 d) {
  const linear_row *r = &e->r;
  const lanes3 x = lanes3_subtract(near_load(r->x, r->plane, i), lanes3_splat(e->centre));
  const lanes3 both = lanes3_add_scaled(d, x, lanes_splat(2.0f));
  const lanes3 bent = own_load(e->a->residual + 3 * e->row * e->a->pitch, i);
  return lanes_multiply(lanes_splat(0.5f * plate_scale(e->a, e->t, 1.0f)), lanes3_dot(bent, both));
}

/* By how much the energy of a row rises along the ways, with d . d - w . w as (d - w) . (d + w), which rounds less;
   without springs and clamps. In units of the residual times a displacement. */
static void rise_of_row(const energy_row *e, row_sum *sum) {
  const solve_arrays *a = e->a;
  const substep_terms *t = e->t;
  const lanes half = lanes_splat(0.5f * t->share);
  const lanes3 fall = lanes3_splat(vector_scale_work(inputs_of(e->c)->gravity, t->share * t->h * t->h));
  const float *predicted = near_row(a->direction, a->pitch, e->row);
  EACH_ROW_BLOCK(i, ends, a->columns, {
    const lanes mass = mass_ratios(e->c, a, e->row, i);
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), mass);
    const lanes3 d = near_load(e->r.way, a->plane, i);
    const lanes3 moved = lanes3_keep(moves, d);
    const lanes3 way = near_load(predicted, a->plane, i);
    const lanes faster = lanes_multiply(half, lanes3_dot(lanes3_subtract(d, way), lanes3_add(d, way)));
    lanes3 outside = lanes3_scale(fall, mass);
    if (a->air) { outside = lanes3_add(outside, air_at_solution(&e->wind, i, ends, way, lanes3_subtract(d, way))); }
    const lanes work = lanes3_dot(lanes3_keep(moves, lanes3_flush(outside)), moved);
    lanes rise = lanes_subtract(lanes_multiply(mass, faster), work);
    rise = t->bends ? lanes_add(rise, plate_rise(e, i, d)) : rise;
    row_sum_add(sum, i, lanes_within(rise, a->columns - i));
  });
}

/* The same of the springs. */
static void rise_of_springs(const energy_row *e, row_sum *sum) {
  const int32_t is_last = e->row + 1 == e->a->rows;
  if (e->is_plain && is_last) {
    springs_rise(e, sum, 1, 1);
  } else if (e->is_plain) {
    springs_rise(e, sum, DIRECTIONS, 1);
  } else {
    springs_rise(e, sum, is_last ? 1 : DIRECTIONS, 0);
  }
}

/* 1 if all springs resist compression in full, without a strain limit. */
static int are_springs_plain(const substep_terms *t) {
  int plain = !(t->limit > 0.0f);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plain &= !(t->spring[d].compression < 1.0f);
  }
  return plain;
}

/* residual = what the plate's block makes of the ways. */
CLOTH_SEPARATE void bend_ways(const solve_arrays *a, const substep_terms *t) {
  const plate_rows plate = plate_of(a, t, a->bent, a->residual, 1.0f);
  if (t->bends) { bend_plate(&plate, 0, a->rows); }
}

/* By how much the energy rises along the ways, without clamps; `residual` has the forces of the plate. */
CLOTH_SEPARATE float rise_of_rows(const cloth *c, const substep_terms *t) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  row_sum sum = row_sum_start();
  energy_row e = {
      .c = c, .a = a, .t = t, .centre = near_vector(a->place, a->plane, 0), .is_plain = are_springs_plain(t)};
  start_wind(&e.wind, c, a, t);
  e.r = linear_row_of(a, 0);
  e.r.way = a->bent;
  e.r.way_below = near_row(a->bent, a->pitch, a->rows > 1);
  for (; e.row < a->rows; e.row++) {
    if (a->air) { take_wind_row(&e.wind, a, e.row); }
    rise_of_row(&e, &sum);
    rise_of_springs(&e, &sum);
    next_linear_row(&e.r, a, e.row + 2 >= a->rows);
  }
  return sum_of(&sum);
}

static float energy_rise(const cloth *c, const substep_terms *t) {
  bend_ways(arrays_of(c), t);
  float rise = rise_of_rows(c, t) + clamps_rise(c, t);
  if (has_bounds(c)) { rise += bounds_rise(c, t); }
  return meets_colliders(c) ? rise + (contact_rise(c, t) + cells_rise(c, t)) : rise;
}

/* The kinetic energy of the ways beside the motion as a whole. */
CLOTH_SEPARATE float inner_energy(const cloth *c, const substep_terms *t, const rigid_way *m) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const vector_array x = vectors_at(c, c->state.position);
  row_sum sum = row_sum_start();
  EACH_PLACE(a, row, i, place, {
    const lanes mass = mass_ratios(c, a, row, i);
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), mass);
    const lanes3 whole = rigid_way_of_block(m, lanes3_load(x, row * a->columns + i));
    const lanes3 way = near_load(near_row(a->bent, a->pitch, row), a->plane, i);
    const lanes3 rest = lanes3_keep(moves, lanes3_subtract(way, whole));
    row_sum_add(&sum, i, lanes_multiply(mass, lanes3_dot(rest, rest)));
  });
  return 0.5f * t->share * sum_of(&sum);
}

/* Shortens the ways towards the motion as a whole. */
CLOTH_SEPARATE void shorten_ways(const cloth *c, const rigid_way *m, float factor) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const vector_array x = vectors_at(c, c->state.position);
  EACH_PLACE(a, row, i, place, {
    float *way = near_row(a->bent, a->pitch, row);
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + place));
    const lanes3 d = near_load(way, a->plane, i);
    const lanes3 whole = rigid_way_of_block(m, lanes3_load(x, row * a->columns + i));
    const lanes3 shorter = lanes3_add_scaled(whole, lanes3_subtract(d, whole), lanes_splat(factor));
    near_store(way, a->plane, i, lanes3_select(moves, lanes3_quantise(shorter, WORK_ROUNDER), d));
  });
  close_rows(c, a->bent);
}

/* solution = d less the prediction's way. */
CLOTH_SEPARATE void solve_for_ways(const cloth *c) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  EACH_PLACE(a, row, i, place, {
    const lanes3 way = near_load(near_row(a->bent, a->pitch, row), a->plane, i);
    const lanes3 predicted = near_load(near_row(a->direction, a->pitch, row), a->plane, i);
    own_store(a->solution, place, lanes3_subtract(way, predicted));
  });
}

/* 1 if springs may add energy that the end of the solve does not tell: those of stiff cloth, those that differ much in
   stiffness, and those that stay out of the operator. 10 x 10 of 1e5 N/m without shear gains .07 of its fall's energy
   at 8 substeps where the energies are not compared (S17). */
static int is_lively(const cloth *c, const substep_terms *t) {
  int lively = largest_stiffness(c, t) > FIRM_STIFFNESS || !are_springs_even(c, t);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    lively |= !t->spring[d].implicit && t->spring[d].stiffness > 0.0f;
  }
  return lively;
}

/* 1 if a collider that the cloth touches moves: it does work that is not known here. */
static int is_moved_by_colliders(const cloth *c) {
  return meets_colliders(c) && do_touched_move(c);
}

/* 1 if a vector of all targets is what it was before the step. */
static int is_target_still(const cloth *c, int32_t which, int32_t before) {
  return are_equal(target_vectors(c, which).x, target_vectors(c, before).x, 3 * (size_t)c->stride * sizeof(float));
}

/* 1 if no target moves in the step, nor a particle that follows one. */
static int do_targets_rest(const cloth *c) {
  const int32_t targets = WITH_TARGETS ? inputs_of(c)->targets : TARGETS_NONE;
  if (targets == TARGETS_NONE) { return 1; }
  if (targets == TARGETS_MOVING && !(is_target_still(c, TARGET_POSITION, TARGET_POSITION_BEFORE) &&
                                     is_target_still(c, TARGET_NORMAL, TARGET_NORMAL_BEFORE))) {
    return 0;
  }
  const vector_array v = vectors_at(c, c->state.velocity);
  for (int32_t i = 0; i < c->count; i++) {
    if (is_told(c, i) && !vector_is_zero(vector_load(v, i))) { return 0; }
  }
  return 1;
}

/* 1 if there is a bound on the energy of a solved substep. */
static int has_guard(const solve_group *s) {
  int has = !s->joints || !is_closing(s->joints);
  EACH_MEMBER(s, m, {
    has &= m->t->solves && !is_in_pieces(m->c) && do_targets_rest(m->c);
    has &= !workspace_of(m->c)->has_pairs && !is_moved_by_colliders(m->c) && !has_joined_bodies(m->c);
  });
  return has;
}

/* The sum over the particles of w . r - alpha w . M p + `share` y . M y: see the head. `has_solution`: a constant. */
CLOTH_INLINE float sum_left_as(const cloth *c, float share, int32_t has_solution) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const vector_array x = vectors_at(c, c->state.position);
  row_sum left = row_sum_start(), last = row_sum_start();
  EACH_PLACE(a, row, i, place, {
    const lanes3 to = near_load(near_row(a->place, a->pitch, row), a->plane, i);
    const lanes3 way = lanes3_subtract(to, lanes3_load(x, row * a->columns + i));
    const lanes3 p = near_load(near_row(a->direction, a->pitch, row), a->plane, i);
    const lanes mass = lanes_load(a->diagonal + place); /* 0 behind the last column, as the residual */
    lanes work = lanes3_dot(way, own_load(a->residual, place));
    if (has_solution) {
      const lanes3 y = own_load(a->solution, place);
      const lanes square = lanes_at_least(lanes3_dot(y, y), LEAST_SHARE);
      work = lanes_add(work, lanes_multiply(mass, lanes_multiply(square, lanes_splat(share))));
    }
    row_sum_add(&left, i, work);
    lanes along = lanes_multiply(mass, lanes3_dot(way, p));
    if (a->air) {
      const lanes3 air = own_load(a->air, place);
      const lanes blow = lanes_flush_below(lanes3_dot(air, way), LEAST_BLOW);
      along = lanes_add(along, lanes_multiply(blow, lanes_flush_below(lanes3_dot(air, p), LEAST_BLOW)));
    }
    row_sum_add(&last, i, along);
  });
  return sum_of(&left) - workspace_of(c)->last_step * sum_of(&last);
}

CLOTH_SEPARATE float sum_left(const cloth *c, float share, int32_t has_solution) {
  return has_solution ? sum_left_as(c, share, 1) : sum_left_as(c, share, 0);
}

/* What tells if the energy has to be compared, summed over the members. */
typedef struct guard_sums {
  float kinetic, given, unsolved; /* given: what counts beside it, by weight and wind */
  int32_t is_lively, touches, is_free;
} guard_sums;

/* The energy that counts beside the cloth's own: a share of a fall's, and the work of the wind on cloth at rest. Flags
   in .2 to 5 m/s have the same speeds without the latter, but in 4 m/s three of four substeps are compared then. */
static float given_energy(const cloth *c, const substep_terms *t) {
  const float fall = LEAST_MOTION * energy_of_fall(c, t);
  if (!has_air(c)) { return fall; }
  return fall + share_of_wind(c, t) * energy_of_way(c, t, vector_scale(wind_of(c), t->h));
}

static guard_sums guard_sums_of(const solve_group *s) {
  guard_sums g = {.unsolved = workspace_of(s->members->c)->unsolved, .is_free = 1};
  EACH_MEMBER(s, m, {
    g.kinetic += m->weight * workspace_of(m->c)->kinetic;
    g.given += m->weight * given_energy(m->c, m->t);
    g.is_lively |= is_lively(m->c, m->t) || have_pins_stopped(m->c);
    g.touches += meets_colliders(m->c) || has_bounds(m->c);
    g.is_free &= is_free_piece(m->c);
  });
  return g;
}

/* 1 if the energy of held cloth can rise by what the solve has left: see the head. */
static int leaves_energy(const solve_group *s, const guard_sums *g) {
  float left = workspace_of(s->members->c)->last_step > 0.0f ? g->unsolved : 0.0f;
  EACH_MEMBER(s, m, {
    left +=
        m->weight * sum_left(m->c, m->t->share, m->has_solution); /* 1/2 y . M y, and as much again of the springs */
  });
  return left < negate(GIVEN_SHARE * g->given);
}

/* 1 if the energy of a solved substep has to be compared. */
static int may_gain_energy(const solve_group *s) {
  const guard_sums g = guard_sums_of(s);
  if (g.is_lively || g.touches > 0) { return do_pins_rest(s); }
  if (g.is_free) { return g.unsolved > FREE_UNSOLVED_SHARE * (g.kinetic + g.given); }
  return do_pins_rest(s) && leaves_energy(s, &g);
}

/* By how much the energy of all members rises along the ways. */
static float rise_of_members(const solve_group *s) {
  float rise = s->joints ? joints_rise(s) : 0.0f;
  EACH_MEMBER(s, m, rise += m->weight * energy_rise(m->c, m->t));
  return rise;
}

/* Shortens the ways once where the energy rises. Returns 1 if it did. */
CLOTH_ONCE int32_t shorten_if_rising(const solve_group *s, rigid_way *whole, int32_t is_first) {
  const float rise = rise_of_members(s);
  if (!(rise > 0.0f)) { return 0; }
  if (is_first) { *whole = rigid_part(s); }
  float inner = 0.0f;
  EACH_MEMBER(s, m, inner += m->weight * inner_energy(m->c, m->t, whole));
  inner = maximum(inner, LEAST_SUM);
  if (!(rise > ROUNDED_RISE * inner)) { return 0; }
  const float left = maximum(1.0f - RISE_MARGIN * rise / inner, LEAST_SHORTENING * LEAST_SHORTENING);
  EACH_MEMBER(s, m, shorten_ways(m->c, whole, square_root(left)));
  return 1;
}

static int has_fixed_work(const solve_group *s) {
  int has = 0;
  EACH_MEMBER(s, m, has |= m->c->settings.capacity.fixed_work);
  return has;
}

/* Bounds the energy of a solved substep. Returns how often the ways have been shortened, or -1 where
   the energy need not be compared. With fixed work it is, as often as may be. */
CLOTH_SEPARATE int32_t guard_energy(const solve_group *s) {
  const int32_t fixed_work = has_fixed_work(s);
  int32_t times = 0, rises = may_gain_energy(s);
  rigid_way whole;
  if (!rises && !fixed_work) { return -1; }
  EACH_MEMBER(s, m, {
    set_ways(m->c, m->t, m->has_solution);
    m->has_solution = 1;
  });
  for (int32_t n = 0; n < MOST_SHORTENINGS && (rises || fixed_work); n++) {
    if (!rises) {
      (void)rise_of_members(s);
      continue;
    }
    rises = shorten_if_rising(s, &whole, times == 0);
    times += rises;
  }
  EACH_MEMBER(s, m, {
    if (times > 0) { solve_for_ways(m->c); }
    if (leaves_contacts(m->c)) { restore_places(m->c); }
  });
  return times;
}
