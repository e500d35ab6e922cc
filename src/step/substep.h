#pragma once
#include "../bodies/attached.h"
#include "../bodies/bodies.h"
#include "../bodies/coupling.h"
#include "../contact/body.h"
#include "../contact/cell_memory.h"
#include "../contact/cell_press.h"
#include "../contact/cell_search.h"
#include "../contact/press.h"
#include "../contact/result.h"
#include "../contact/search.h"
#include "../contact/surface.h"
#include "../self/contact.h"
#include "../self/equation.h"
#include "../solve/levels.h"
#include "../solve/passes.h"
#include "../solve/solve.h"
#include "../solve/strips.h"
#include "../tear/tear.h"
#include "../terms/bounds.h"
#include "../terms/clamps.h"
#include "../terms/confinement.h"
#include "../terms/links.h"
#include "../terms/pin_reactions.h"
#include "guard.h"
#include "linearise.h"
#include "momentum.h"
#include "places.h"
#include "plan.h"
#include "reactions.h"
#include "work.h"

/// Preparation of the scratch ///

/* What a step does to its scratch before the first substep: kernels read floats beside rows, whose effect is 0 only if
   they are finite. Out: diagonal, levels, zeros in buffers and pads. */

static void clear_solve_pads(const cloth *c, const solve_arrays *a) {
  const workspace *w = workspace_of(c);
  float *near[4] = {a->place, a->direction, a->turn, a->bent};
  for (int32_t n = 0; n < 4; n++) {
    clear_near_pads(near[n], a->pitch, a->rows, (int32_t)a->plane);
  }
  for (int32_t n = 0; n < strips_of(c); n++) {
    clear_floats(work_of_piece(c, n), buffer_floats(a->pitch, a->factors != NULL));
    clear_floats(rows_of_piece(c, n), transfer_floats(a->pitch));
  }
  for (int32_t n = 0; n < w->level_count; n++) {
    const grid_level *l = &w->levels[n];
    clear_near_pads(level_correction(c, l), l->pitch, l->rows, l->plane);
  }
}

/* The mass ratio of each particle that moves by itself; 0 for pins, and in the places behind a row. */
static void fill_diagonal(const cloth *c, const solve_arrays *a) {
  const float *mass = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL;
  for (int32_t row = 0; row < a->rows; row++) {
    float *diagonal = a->diagonal + row * a->pitch;
    const int32_t first = row * a->columns;
    for (int32_t i = 0; i < a->pitch; i += CLOTH_LANES) {
      const lanes ratio = mass ? lanes_load(mass + first + i) : lanes_splat(1.0f);
      lanes_store(diagonal + i, lanes_within(ratio, a->columns - i));
    }
  }
  for (int32_t i = next_step_held(c, 0); i < c->count; i = next_step_held(c, i + 1)) {
    const int32_t row = i / a->columns;
    a->diagonal[row * a->pitch + i - row * a->columns] = 0.0f;
  }
}

/* Counts the pinned particles, absent ones among them. */
static void find_pins(const cloth *c) {
  workspace *w = workspace_of(c);
  w->pins = w->pins_end = 0;
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    w->pins++;
    w->pins_end = i + 1;
  }
}

/* What links and pins there are, and which pieces of cloth they make. */
CLOTH_SEPARATE void describe_links(const cloth *c) {
  const solve_arrays *a = arrays_of(c);
  find_pins(c);
  workspace_of(c)->pieces = 0;
  workspace_of(c)->coarsest_is_kept = 0;
  if (a->factors) { fill_factors(c, a); }
  if (has_gaps(c) && (is_torn_cloth(c) || gap_summary_of(c)->pieces > 1)) {
    workspace_of(c)->pieces = label_pieces(c, labels_of(c), pitch_of(c));
  }
}

CLOTH_SEPARATE void prepare_scratch(const cloth *c) {
  workspace *w = workspace_of(c);
  w->cells = w->cell_searches = 0;
  w->has_pairs = w->has_ground = w->touches = w->searched = w->searched_before = w->moved_out = w->parts = 0;
  w->remembers = 1;
  keep_arrays(c);
  const solve_arrays *a = arrays_of(c);
  w->level_count = 0;
  w->energy_guarded = 0;
  w->diagonal_changed = 0;
  if (c->scratch.levels) {
    const float aspect = has_rest_shape(c) ? SHAPED_ASPECT : c->grid.spacing_warp / c->grid.spacing_weft;
    w->coarsest = plan_levels(c->grid.columns, c->grid.rows, is_wrapped(c), aspect, w->levels, &w->level_count);
  }
  clear_solve_pads(c, a);
  describe_links(c);
  fill_diagonal(c, a);
}

/// Stages of a substep ///

/* What a port learns of the stages of a substep: ticks of its timer, and a hash of what each has made. */

#ifdef CLOTH_TRACE

/* What a stage has made of a particle, in whatever order lanes keep it. */
static cloth_vector made_of(const cloth *c, const solve_arrays *a, cloth_stage stage, int32_t particle) {
  const int32_t place = particle / a->columns * a->pitch + particle % a->columns;
  switch (stage) {
  case CLOTH_STAGE_PREDICTION:
    return near_particle(a, a->place, particle);
  case CLOTH_STAGE_FORCES:
    return own_vector(a->residual, place);
  case CLOTH_STAGE_ACCEPTANCE:
    return vector_load(vectors_at(c, c->state.position), particle);
  default:
    return own_vector(a->solution, place);
  }
}

/* Passes CLOTH_TRACE(c, stage, substep, hash), a hash of what the stage has made, to compare machines. */
static void trace_stage(const cloth *c, cloth_stage stage, int32_t has_made) {
  const solve_arrays *a = arrays_of(c);
  hasher h;
  hash_start(&h);
  for (int32_t i = 0; has_made && i < c->count; i++) {
    const cloth_vector made = made_of(c, a, stage, i);
    hash_words(&h, (const any_word *)(const void *)&made, 3);
  }
  CLOTH_TRACE(c, (int)stage, workspace_of(c)->plan.index, hash_end(&h));
}

#else
#define trace_stage(c, stage, has_made) ((void)(has_made))
#endif

/* Ends a stage: adds its ticks to the statistics, and traces it. */
static void end_stage(const cloth *c, cloth_stage stage, int32_t has_made) {
  workspace *w = workspace_of(c);
  const uint32_t now = CLOTH_TICKS();
  w->statistics.ticks[stage] += now - w->tick;
  w->tick = now;
  trace_stage(c, stage, has_made);
}

/// A substep ///

/* Iterations of the present substep. */
static uint16_t *iterations_now(const cloth *c) {
  return (uint16_t *)at(c, c->own.iterations) + statistics_of(c)->substeps;
}

/* Counts a substep that is done, and its iterations. `is_whole`: it was not divided; the next one's prediction reaches
   as far as the last whole one. */
CLOTH_ONCE void count_substep(const cloth *c, int32_t is_whole) {
  cloth_statistics *s = statistics_of(c);
  cloth_inputs *inputs = inputs_of(c);
  const float h = workspace_of(c)->plan.h, off = h - inputs->last_substep;
  const int32_t is_equal = is_whole && off <= EQUAL_SHARE * h && off >= -EQUAL_SHARE * h;
  const int32_t iterations = *iterations_now(c);
  s->iterations += iterations;
  s->max_substep_iterations = larger_of(iterations, s->max_substep_iterations);
  s->substeps++;
  inputs->equal_substeps = is_equal ? inputs->equal_substeps + (inputs->equal_substeps < MOST_EQUAL_SUBSTEPS) : 0;
  inputs->last_substep = is_whole ? h : inputs->last_substep;
}

/* Takes what terms have added in the substep before out of the diagonal. */
CLOTH_ONCE void start_diagonal(const cloth *c, const substep_terms *t) {
  workspace *w = workspace_of(c);
  if (w->diagonal_changed) {
    const solve_arrays *a = arrays_of(c);
    fill_diagonal(c, a);
    w->diagonal_changed = 0;
  }
  if (WITH_TARGETS && inputs_of(c)->targets != TARGETS_NONE) {
    w->diagonal_changed = 1;
    lead_particles(c, t);
  }
}

/* Zeros for the further blocks, and which rows will have some: with `all` each, otherwise those that touch colliders.
 */
CLOTH_ONCE void start_ground(const cloth *c, int32_t all) {
  const solve_arrays *a = arrays_of(c);
  clear_floats(a->ground, SYMMETRIC_FLOATS * a->pitch * a->rows);
  for (int32_t row = 0; row < a->rows; row++) {
    a->ground_rows[row] = (uint32_t)(all || is_row_touched(c, row));
  }
  const cell_touch *list = cell_touches_of(c);
  for (int32_t n = 0; WITH_COLLIDERS && n < 3 * workspace_of(c)->cells; n++) {
    a->ground_rows[list[n / 3].place[n % 3] / a->pitch] = 1;
  }
}

/* Terms of few particles, after the springs, the plate and the air of all. */
CLOTH_ONCE void add_terms(const cloth *c, substep_terms *t) {
  workspace *w = workspace_of(c);
  w->diagonal_changed |= has_air(c) && c->settings.air.drag > 0.0f;
  w->diagonal_changed |= add_clamps(c, t);
  w->predictions = 0;
  w->has_ground = w->has_pairs || meets_colliders(c) || has_bounds(c);
  keep_arrays(c);
  if (w->has_ground) { start_ground(c, w->has_pairs || has_bounds(c)); }
  if (has_bounds(c)) {
    add_bounds(c, t);
    w->diagonal_changed = 1;
  }
}

/* Contacts, and springs to bodies. */
CLOTH_ONCE void add_touched(const cloth *c, substep_terms *t) {
  workspace *w = workspace_of(c);
  if (w->has_pairs) { w->coarsest_is_kept = t->keeps_coarsest = 0; }
  if (meets_colliders(c)) {
    w->coarsest_is_kept = t->keeps_coarsest = 0; /* contacts are others in every substep */
    press_cells(c, t);                           /* from the forces of all other terms */
    add_contacts(c, t);
    add_cell_forces(c);
  }
  if (WITH_BODIES && add_attachments(c, t)) {
    w->coarsest_is_kept = t->keeps_coarsest = 0;
    w->diagonal_changed = 1;
  }
}

/* Where the scale of the springs has changed. */
CLOTH_ONCE void change_scale(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  fill_coefficient_rows(a, t);
  workspace_of(c)->coarsest_is_kept = 0;
}

/* Begins a part of a substep: its coefficients, what is led, where bodies go. */
CLOTH_ONCE void begin_part(const cloth *c, step_plan *plan, float done, float length) {
  substep_terms *t = &plan->terms;
  const float scale = t->scale, whole = (float)plan->stride / (float)plan->substeps;
  const float end = (float)(plan->index + 1) / (float)plan->substeps;
  plan->notes |= set_terms(c, length < 1.0f ? length * plan->h : plan->h, plan->substeps, t);
  t->rounds = length < 1.0f ? 1 : t->rounds; /* what is divided is not slow */
  t->from = end - (1.0f - done) * whole;
  t->until = done + length < 1.0f ? end - (1.0f - done - length) * whole : end;
  if (t->scale != scale) { change_scale(c, t); }
  start_diagonal(c, t);
  if (WITH_BODIES) {
    lead_attached_particles(c, t);
    predict_bodies(c, t);
  }
}

/* Finds what a cloth touches. Returns 1 if the part is too long. */
CLOTH_ONCE int32_t find_all_touches(const cloth *c, const substep_terms *t) {
  touch_bounds bounds;
  if (!WITH_COLLIDERS || !c->scratch.touches || !start_touches(c, &bounds)) { return 0; }
  const int32_t is_deep = find_touches(c, t, &bounds);
  return WITH_SURFACES && count_surfaces(c) > 0 ? find_surface_touches(c, t, &bounds) | is_deep : is_deep;
}

/* Cloths that are solved as one do as many iterations, those that are sewn some more. */
static void join_iterations(const solve_group *g) {
  int32_t iterations = 0, most = 0;
  EACH_MEMBER(g, m, {
    const int32_t more = are_iterations_chosen(m->c) ? 0 : more_iterations(g->joints);
    iterations = larger_of(m->t->iterations + more, iterations);
    most = larger_of(m->t->most_iterations + more, most);
  });
  EACH_MEMBER(g, m, {
    workspace_of(m->c)->plan.terms.iterations = iterations;
    workspace_of(m->c)->plan.terms.most_iterations = most;
  });
}

/* Begins a part of a substep of cloths that are solved as one: prediction, and what it touches. Returns 1 if it is too
   long for one of them. */
CLOTH_ONCE int32_t start_set(const solve_group *g, float done, float length) {
  int32_t is_deep = 0;
  EACH_MEMBER(g, m, begin_part(m->c, &workspace_of(m->c)->plan, done, length));
  EACH_MEMBER(g, m, m->weight = g->members->t->scale / m->t->scale);
  if (g->joints) {
    join_iterations(g);
    meet(g);
  }
  EACH_MEMBER(g, m, predict_places(m->c, m->t));
  if (g->joints) { place_joined(g->joints); }
  EACH_MEMBER(g, m, is_deep |= find_all_touches(m->c, m->t));
  return is_deep;
}

/* What contacts leave behind once the new positions have been accepted. */
static void end_contacts(const cloth *c, const substep_terms *t, int32_t has_solution) {
  if (WITH_SURFACES) { guard_surfaces(c, t); }
  const int32_t moved_out = workspace_of(c)->moved_out;
  if (meets_colliders(c)) {
    finish_contacts(c, t, has_solution);
    finish_cells(c, t, has_solution);
  } else {
    remember_nothing(c);
  }
  if (workspace_of(c)->may_run_away) { catch_runaways(c, t, has_solution); }
  if (WITH_SURFACES && workspace_of(c)->moved_out != moved_out) { /* out of a solid, perhaps through a surface */
    guard_surfaces(c, t);
  }
}

/* The equation of a part, at the places where it is linearised. */
CLOTH_ONCE void make_equation(const solve_group *g) {
  if (WITH_SELF && g->pairs) { find_pairs(g); }
  EACH_MEMBER(g, m, {
    linearise(m->c, m->t);
    add_terms(m->c, &workspace_of(m->c)->plan.terms);
  });
  if (g->joints) { add_joint_terms(g); }
  if (has_elements(g)) { take_last_pairs(g); }
  if (WITH_COLLIDERS) { EACH_MEMBER(g, m, take_last_cells(m->c, m->t)); }
  if (g->joints) { share_contacts(g); }
  if (has_elements(g)) { find_pair_laws(g->pairs, g->members->t->scale); }
  EACH_MEMBER(g, m, add_touched(m->c, &workspace_of(m->c)->plan.terms));
  if (has_elements(g)) { add_pairs(g->pairs); }
  EACH_MEMBER(g, m, m->noted = notes_pins(m->c) ? note_forces(m->c, m->t) : m->noted);
}

/* Solves it: without an operator each particle for itself. Returns the iterations done. */
CLOTH_ONCE int32_t solve_equation(const solve_group *g) {
  int32_t solves = 1;
  EACH_MEMBER(g, m, solves &= m->t->solves);
  if (WITH_SOLVER && solves) { return solve(g); }
  start_coupling(g);
  EACH_MEMBER(g, m, {
    solve_alone(m->c);
    m->has_solution = 1;
  });
  if (g->joints) { join_solved(g->joints); }
  follow_particles(g);
  return 0;
}

/* Notes what the solution does to pins and bodies. */
CLOTH_ONCE void note_solved(const solve_group *g) {
  EACH_MEMBER(g, m, {
    if (notes_pins(m->c)) {
      note_solution(m->c, m->t, m->has_solution);
      note_cells(m->c, m->t, m->has_solution);
      note_bodies(m->c, m->t, m->has_solution);
    }
  });
  if (has_elements(g)) { note_pairs(g); }
  if (g->joints) { note_joined(g); }
}

/* What the solve of a part has done. */
typedef struct solve_counts {
  int32_t iterations, shortenings; /* shortenings: of the ways, by their energy; -1 if it is not compared */
} solve_counts;

/* Solves a part of a substep of cloths that are solved as one. */
CLOTH_ONCE solve_counts solve_set(const solve_group *g) {
  make_equation(g);
  EACH_MEMBER(g, m, end_stage(m->c, CLOTH_STAGE_FORCES, 1));
  solve_counts counts = {solve_equation(g), -1};
  EACH_MEMBER(g, m, end_stage(m->c, CLOTH_STAGE_SOLVE, m->has_solution));
  if (WITH_BODIES) { note_solved(g); }
  restore_momentum(g, moment_of_meeting(g));
  if (has_guard(g)) { counts.shortenings = guard_energy(g); }
  if (WITH_BODIES) { share_rest(g); }
  EACH_MEMBER(g, m, end_stage(m->c, CLOTH_STAGE_GUARDS, m->has_solution));
  return counts;
}

/* The new state of a cloth. */
CLOTH_INLINE void accept_part(const solve_member *m, const solve_counts *counts) {
  if (WITH_SELF) { keep_start(m->c); }
  accept(m->c, m->t, m->has_solution, counts->shortenings >= 0);
  if (WITH_BODIES) {
    accept_bodies(m->c, m->t);
    report_attachments(m->c);
  }
  if (WITH_COLLIDERS && m->c->scratch.touches) { end_contacts(m->c, m->t, m->has_solution); }
  workspace_of(m->c)->parts++;
  workspace_of(m->c)->energy_guarded += larger_of(counts->shortenings, 0);
  charge_substep(m->c, m->t, counts->iterations, counts->shortenings);
  *iterations_now(m->c) += (uint16_t)counts->iterations;
}

/* The new state of cloths that are solved as one. */
CLOTH_ONCE void accept_set(const solve_group *g, const solve_counts *counts) {
  if (WITH_SELF && g->pairs) {
    note_solutions(g);
    remember_pairs(g->pairs, g);
  }
  EACH_MEMBER(g, m, accept_part(m, counts));
  if (WITH_SELF && g->pairs) {
    part_passed(g->pairs);
    charge_pairs(g, counts->iterations);
  }
  if (g->joints) {
    accept_common_bodies(g);
    charge_joints(g, counts->iterations);
  }
}

static void confine_particles(const cloth *c) {
  confine_vectors(c, c->state.velocity, 0);
  confine_vectors(c, c->state.position, 1);
}

/* What follows the parts of a substep: absent particles follow, threads break, and it is counted. `is_whole`: it was
   not divided. */
CLOTH_ONCE void end_substep(const cloth *c, int32_t is_whole) {
  if (has_gaps(c)) { place_absent_particles(c, vectors_at(c, c->state.position)); }
  if (can_tear(c)) {
    const int32_t torn = statistics_of(c)->threads_torn;
    tear_threads(c, &workspace_of(c)->plan);
    if (statistics_of(c)->threads_torn != torn) { describe_links(c); }
  }
  count_substep(c, is_whole);
}

/* Begins a part of a substep. Returns 1 if it is too long for one of the cloths. */
static int32_t start_part(const stepped_cloths *s, float done, float length) {
  int32_t is_deep = 0;
  EACH_SET(s, g, is_deep |= start_set(g, done, length));
  return is_deep;
}

/* Solves it. What is sewn together is at one place when all has been moved. */
static void solve_part(const stepped_cloths *s) {
  EACH_STEPPED(s, m, end_stage(m->c, CLOTH_STAGE_PREDICTION, 1));
  EACH_SET(s, g, {
    const solve_counts counts = solve_set(g);
    accept_set(g, &counts);
  });
  EACH_STEPPED(s, m, confine_particles(m->c));
  EACH_SET(s, g, {
    if (g->joints) { settle_joined(g->joints); }
  });
  EACH_STEPPED(s, m, end_stage(m->c, CLOTH_STAGE_ACCEPTANCE, 1));
}

/*
 * One incremental potential, linearised once where the prediction leads, and solved for the displacement y from there:
 *
 *   Phi(x) = 1 / (2 h^2) |x - x*|^2_M + springs + plate + air + contacts + further terms - M g . x,  x* = x_n + h f v
 *
 * At rest v = 0, so x* = x_n, the forces balance and y = 0, whatever the iterations: what rests stays at rest.
 *
 * Where contact is deep, or cloth may touch cloth, the substep is taken in two parts, and each of these in two, before
 * anything is solved: of all cloths in as many as the one that needs most.
 */
static void substep(stepped_cloths *s) {
  const float longest = prepare_pairs(s);
  float done = 0.0f, length = longest;
  int32_t is_prepared = 0; /* 1: candidates of the part are there */
  while (done < 1.0f) {
    if (!is_prepared) { prepare_part(s, length); }
    const int32_t is_too_long = start_part(s, done, length) && length > s->shortest;
    is_prepared = is_too_long; /* its first half, which is tried next, has the same candidates */
    if (is_too_long) {
      length *= 0.5f;
      continue;
    }
    solve_part(s);
    done += length;
    length = done == 0.5f ? minimum(0.5f, longest) : length; /* the first half is done: the other is tried as a whole */
  }
  EACH_STEPPED(s, m, end_substep(m->c, length == 1.0f));
}
