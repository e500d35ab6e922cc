#pragma once
#include "choices.h"
#include "contact/response.h"
#include "contact/support.h"
#include "solvers/newton.h"
#include "solvers/nonlinear.h"
#include "solvers/sweeps.h"

/// A step ///

/*
 * A step by a method: what the library's step does before and after the substeps, and in each substep the equation, its
 * solver, the library's limit of speed and contact, by projection or as constraints of the solve, and the response of
 * the sheet to itself.
 */

/* Lays out memory and families. Needs no memory yet. */
static void plan_method(method_work *w, const cloth *c, const cloth_method *method) {
  fill_zero(w, sizeof *w);
  w->c = c;
  w->method = method;
  make_families(w);
  for (int32_t n = 0; method->solver == CLOTH_SOLVER_SWEEPS && n < w->family_count; n++) {
    w->family[n].law.packed = MULTIPLIERS;
  }
  lay_out_memory(w);
}

int cloth_method_memory(const cloth *sheet, const cloth_method *method, size_t *bytes) {
  const int error = check_method(sheet, method);
  method_work w;
  if (error || !bytes) { return error ? error : CLOTH_ERROR_NULL; }
  plan_method(&w, sheet, method);
  *bytes = memory_bytes(&w);
  return CLOTH_OK;
}

/* A number that tells methods apart whose memory is laid out differently. */
static uint32_t method_shape(const cloth_method *m) {
  return (uint32_t)(m->material | m->bending << 4 | m->scheme << 8 | m->solver << 12 | (m->repulsion > 0.0f) << 16 |
                    m->self << 17 | m->contact << 18);
}

/* Takes the caller's memory; another cloth's, or another method's, counts as new. */
static void open_memory(method_work *w, void *memory) {
  w->header = (method_header *)memory;
  w->floats = (float *)(w->header + 1);
  const uint32_t shape[3] = {(uint32_t)w->c->grid.columns, (uint32_t)w->c->grid.rows, method_shape(w->method)};
  if (w->header->magic != METHOD_MAGIC || !are_equal(w->header->shape, shape, sizeof shape)) {
    fill_zero(memory, memory_bytes(w));
    w->header->magic = METHOD_MAGIC;
    copy_memory(w->header->shape, shape, sizeof shape);
  }
}

static void solve_by_method(method_work *w) {
  switch (w->method->solver) {
  case CLOTH_SOLVER_NONLINEAR:
    solve_by_nonlinear_gradients(w);
    break;
  case CLOTH_SOLVER_SWEEPS:
    solve_by_sweeps(w);
    break;
  default:
    solve_by_newton(w);
  }
}

/* 1 if a family or a contact is part of the equation; without one v' is the target. */
static int has_equation(const method_work *w) {
  int32_t implicit = 0;
  for (int32_t n = 0; n < w->family_count; n++) {
    implicit |= w->family[n].is_implicit;
  }
  return implicit || w->held > 0 || (w->pair_count > 0 && w->method->scheme != CLOTH_SCHEME_EXPLICIT);
}

/* Keeps positions and velocities at the start of the substep. */
static void keep_old_state(const method_work *w) {
  copy_field(w, w->x, field(w, FIELD_OLD_PLACE));
  copy_field(w, field(w, FIELD_NOW_RATE), field(w, FIELD_OLD_RATE));
}

/* Slows particles down to the largest speed, and shortens their ways likewise. The limit acts on motion that contact
   did not cause, so it comes before contact. What is not finite is left to accept_particles(). */
static void limit_speeds(const method_work *w) {
  const float most = w->c->settings.integration.max_speed;
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector from = vector_load(w->x, i);
    cloth_vector velocity = vector_load(w->v, i), way = vector_subtract(vector_load(moved_of(w), i), from);
    if (!(w->mobility[i] > 0.0f) || !vector_is_finite(velocity) || !vector_is_finite(way)) { continue; }
    if (clamp_length(&velocity, most)) {
      vector_store(w->v, i, velocity);
      if (clamp_length(&way, most * w->k)) { vector_store(moved_of(w), i, vector_add(from, way)); }
      statistics_of(w->c)->particles_limited++;
    }
  }
}

/* Contact may make a particle faster than the limit, but not faster than this. */
#define CONTACT_SPEED_LIMIT (0.999f * CLOTH_SPEED_LIMIT)

/* Makes the places that contact has left and the velocities the new state. A particle that is not finite, or has left
   the world, stays where it was. */
static void accept_particles(const method_work *w) {
  cloth_statistics *counts = statistics_of(w->c);
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector to = vector_load(moved_of(w), i);
    cloth_vector velocity = vector_load(w->v, i);
    if (!vector_is_finite(velocity) || !is_step_place(w->c, to)) {
      vector_store(w->v, i, vector(0.0f, 0.0f, 0.0f));
      counts->particles_recovered++;
      continue;
    }
    if (w->mobility[i] > 0.0f) { counts->particles_limited += clamp_length(&velocity, CONTACT_SPEED_LIMIT); }
    vector_store(w->x, i, vector_flush(to, STATE_QUANTUM));
    vector_store(w->v, i, vector_flush(velocity, STATE_QUANTUM));
  }
}

/* Rounds v' as accept_particles() does. */
static void round_rates(const method_work *w) {
  const vector_array rate = field(w, FIELD_RATE);
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    lanes3_store(rate, i, lanes3_flush_below(lanes3_load(rate, i), STATE_QUANTUM), w->c->count - i);
  }
}

/* Keeps the state at the end of the substep, rounded as accept_particles() does: a particle that is elsewhere when the
   next one starts has been moved. */
static void keep_new_state(method_work *w) {
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const int32_t left = w->c->count - i;
    const lanes3 place = lanes3_load(moved_of(w), i), rate = lanes3_load(w->v, i);
    lanes3_store(field(w, FIELD_NOW_RATE), i, lanes3_load(field(w, FIELD_RATE), i), left);
    lanes3_store(field(w, FIELD_LAST_PLACE), i, lanes3_flush_below(place, STATE_QUANTUM), left);
    lanes3_store(field(w, FIELD_LAST_RATE), i, lanes3_flush_below(rate, STATE_QUANTUM), left);
  }
  w->header->history = 1;
  w->header->substep = w->k;
}

/* Contact by projection. Returns 1 if it has moved a particle. Its contacts are counted the first time. */
static int collide_again(method_work *w, int32_t index) {
  const cloth *c = w->c;
  cloth_statistics *counts = statistics_of(c);
  const int32_t contacts = counts->contacts, sticking = counts->contacts_sticking;
  int moves = 0;
  copy_field(w, moved_of(w), field(w, FIELD_RESIDUAL));
  project_contacts(w, index);
  counts->contacts = contacts;
  counts->contacts_sticking = sticking;
  for (int32_t i = 0; i < c->count && !moves; i++) {
    moves = !same_vector(vector_load(moved_of(w), i), vector_load(field(w, FIELD_RESIDUAL), i));
  }
  return moves;
}

/* Most times that the sheet responds to itself in a substep. */
#define CONTACT_ROUNDS 3

/* 1 if there is enough left of the maxima of a substep for another search of all that has been searched. */
static int has_tests_left(const sheet_search *s) {
  return CONTACT_ROUNDS * s->tests <= most_tests(s) && CONTACT_ROUNDS * s->boxes <= most_boxes(s);
}

/*
 * Colliders, then the sheet with itself, which may press it into colliders: these are looked at again, and after them
 * the sheet, until colliders move nothing, CONTACT_ROUNDS have passed, or searches have taken a third of what they may.
 * The sheet has the last word: what is left of a penetration is moved out in the next substep, but a sheet that crosses
 * itself stays so.
 */
static void resolve_touches(method_work *w, int32_t index) {
  project_contacts(w, index);
  sheet_search s;
  if (!begin_response(w, &s, index)) { return; }
  for (int32_t round = 0; round < CONTACT_ROUNDS && respond_to_self(w, &s); round++) {
    if (round + 1 == CONTACT_ROUNDS || !has_tests_left(&s) || !collide_again(w, index)) { break; }
  }
  end_response(w, &s);
}

/* Substep `index` of a step. */
static void method_substep(method_work *w, int32_t index) {
  cloth_statistics *counts = statistics_of(w->c);
  counts->substeps++;
  counts->contacts = 0;
  counts->contacts_sticking = 0;
  start_equation(w);
  hold_particles(w, index);
  support_particles(w, index);
  if (has_equation(w)) {
    solve_by_method(w);
  } else {
    copy_field(w, field(w, FIELD_TARGET), field(w, FIELD_RATE));
  }
  keep_old_state(w);
  resolve_held(w, index);
  find_places(w);
  return_to_supports(w, index);
  round_rates(w);
  let_go_of_pushes(w, index);
  copy_field(w, field(w, FIELD_RATE), w->v);
  copy_field(w, field(w, FIELD_PLACE), moved_of(w));
  hand_over_ways(w);
  limit_speeds(w);
  resolve_touches(w, index);
  take_over_changes(w);
  keep_new_state(w);
  accept_particles(w);
}

/* Explicit schemes refuse a step beyond the bound of the stability numbers' sum (thesis section 4.1.3). Springs along
   warp and weft, which are perpendicular at rest, move particles apart: of both the larger number counts. */
#define EXPLICIT_KAPPA_SUM 1.0f

static int is_along_threads(const element_family *f) {
  return f->law.kind == LAW_SPRING && (f->row[1] == f->row[0] || f->column[1] == f->column[0]);
}

static int is_unstable(method_work *w, float k) {
  float sum = 0.0f, threads = 0.0f;
  if (w->method->scheme != CLOTH_SCHEME_EXPLICIT) { return 0; }
  find_stability(w, k);
  for (int32_t n = 0; n < w->family_count; n++) {
    const element_family *f = &w->family[n];
    threads = is_along_threads(f) ? maximum(threads, f->kappa) : threads;
    sum += is_along_threads(f) ? 0.0f : f->kappa;
  }
  sum += threads;
  if (has_repulsion(w)) {
    sum += k * (k * over_mass(w, direction_stiffness(w->c, WARP)) + 2.0f * over_mass(w, direction_damping(w->c, WARP)));
  }
  return !(sum < EXPLICIT_KAPPA_SUM);
}

/* 1 if what the method needs of the memory lies in the arena of the cloth, or in its scratch outside of that, if it has
   been given. */
static int is_of_cloth(const method_work *w, const void *memory) {
  const cloth *c = w->c;
  const memory_range range = {(uintptr_t)memory, memory_bytes(w)};
  const memory_range scratch = {(uintptr_t)at(c, c->scratch.solution), c->shared_bytes};
  return do_overlap(range, arena_of(c)) || (c->has_scratch && c->shared_bytes && do_overlap(range, scratch));
}

/* Checks the arguments of a step, or of settling, and plans it. */
static int begin_method(method_work *w, const cloth *c, const cloth_method *method, int settles, void *memory,
                        size_t bytes) {
  const int error = check_method_call(c, method, settles);
  if (error) { return error; }
  plan_method(w, c, method);
  if (!memory) { return CLOTH_ERROR_NULL; }
  const int fits = bytes >= memory_bytes(w) && (uintptr_t)memory % CLOTH_ALIGNMENT == 0;
  return fits && !is_of_cloth(w, memory) ? CLOTH_OK : CLOTH_ERROR_ARENA;
}

/* Substeps of a step: as configured, however long they are. */
static int32_t method_substeps(const cloth *c, float dt) {
  const int32_t wanted = c->settings.integration.substeps;
  return wanted > 0 ? wanted : choose_substeps(c, dt, 0);
}

static void fill_mobilities(method_work *w) {
  float *mobility = w->floats + w->masses;
  for (int32_t i = 0; i < w->c->count; i++) {
    mobility[i] = is_pinned(w->c, i) ? 0.0f : 1.0f / mass_ratio_at(w->c, i);
  }
  w->mobility = mobility;
}

/* What precedes the substeps. */
static void prepare_method(method_work *w, float dt) {
  const cloth *c = w->c;
  allow_refinements(c);
  prepare_step(c, dt, method_substeps(c, dt), 1, 0);
  workspace *space = workspace_of(c);
  space->parts = space->plan.substeps; /* of the record of contacts */
  space->plan.notes = 0;               /* the library's terms do not act */
  w->k = space->plan.h;
  w->x = vectors_at(c, c->state.position);
  w->v = vectors_at(c, c->state.velocity);
  fill_mobilities(w);
  choose_families(w);
}

/* The substeps. Returns the notes of the step. */
static int run_substeps(method_work *w) {
  const cloth *c = w->c;
  const step_plan *plan = &workspace_of(c)->plan;
  for (int32_t index = 0; index < plan->substeps; index++) {
    method_substep(w, index);
  }
  finish_motions(c);
  inputs_of(c)->last_substep = plan->h;
  return finish_statistics(c, plan);
}

static int run_method(method_work *w, float dt) {
  prepare_method(w, dt);
  return run_substeps(w);
}

int cloth_method_step(cloth *sheet, const cloth_method *method, float dt, void *memory, size_t bytes,
                      cloth_method_report *report) {
  method_work w;
  cloth_method_report unread;
  int error = begin_method(&w, sheet, method, 0, memory, bytes);
  error = error ? error : check_step(sheet, dt);
  if (error) { return error; }
  w.report = report ? report : &unread;
  if (is_unstable(&w, dt / (float)method_substeps(sheet, dt))) { return CLOTH_ERROR_UNSTABLE; }
  fill_zero(w.report, sizeof *w.report);
  open_memory(&w, memory);
  return run_method(&w, dt);
}
