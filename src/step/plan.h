#pragma once
#include "../cloth/gaps.h"
#include "../terms/plate.h"
#include "../terms/springs.h"
#include "../terms/stiffness.h"

/// Coefficients of a substep ///

/*
 * Everything that a substep of the one equation multiplies by, from its length h, the fabric and the settings; the
 * number of substeps; and which terms stay out of the operator and act by their force alone.
 *
 * With stiffness lambda such a term obeys g^2 - (2 - 2 a) g + (1 - a) = 0 with a = h^2 lambda / m: damped as by
 * backward Euler, and stable below a = 4/3. The largest lambda h^2 / m of a family of springs is 4 kappa, kappa =
 * (h / m) (h k + 2 kd) (Boxerman 2003 eq. 4.8), that of the plate 64 times that of a hinge. From the softest on, terms
 * stay out as long as their sum is at most integration.explicit_threshold.
 */

/* Longest substep [s]: in longer ones a ball passes a pinned sheet (S19). */
#define LONGEST_SUBSTEP (1.0f / 60.0f)
/* Sum above which explicit terms are unstable. */
#ifndef EXPLICIT_BOUND /* tests/thesis.c goes beyond it */
#define EXPLICIT_BOUND (4.0f / 3.0f)
#endif
/* Automatic iterations: up to these k' 4, 5, 6, 10, and above 16; one more of tubes, and of cloth that has torn, is in
   pieces or lacks more than a MANY_GAPS-th of its cells; from so many substeps on at least 6, as unfinished solves
   creep. */
#define MANY_GAPS 8
#define SOFT_STIFFNESS 1.0e3f
#define FIRM_STIFFNESS 2.0e3f
#define STIFF_STIFFNESS 1.0e4f
#define STIFFEST_STIFFNESS 3.0e4f
#define MANY_SUBSTEPS 8
/* Tubes take STIFF_ITERATIONS, STIFFEST_ITERATIONS and RING_ITERATIONS from these shares of the squared number of
   columns on: levels do not bend a ring without stretching it, the less the larger the angle between its springs. */
#define STIFF_RING 0.8f
#define STIFFEST_RING 4.0f
#define NARROW_RING 12.0f
#define RING_ITERATIONS 24
/* Plates take STIFF_ITERATIONS and STIFFEST_ITERATIONS from these kappa of a hinge on, with its viscosity: coarse
   levels bend them by kinks alone, which a cantilever of many cells does not get over in fewer. */
#define STIFF_PLATE 300.0f
#define STIFFEST_PLATE 1.5e3f
/* Cloth with less than this share of its stretch in shear is a net, which takes NET_ITERATIONS more. */
#define NET_SHEAR 0.001f
#define NET_ITERATIONS 4
/* But for soft cloth whose springs differ by a factor of four at most, solves may go on for so many times the automatic
   iterations as long as they leave something, see solve/solve.h. */
#define LONGER_SOLVE 4
/* Slow cloth that something touches goes on for so many times them, whatever its stiffness, see solve/solve.h: coarse
   levels do not carry folds. */
#define TOUCHING_ROUNDS 2
#define EVEN_SHARE 0.25f
#define LEAST_ITERATIONS 4
#define MANY_ITERATIONS 6
/* Cloth with two tethers a particle, which may face each other, takes these, too: with 6 a sheet on a ball between two
   edges moves at .3 to 1 m/s for ever (tests/tethers.c). */
#define STIFF_ITERATIONS 10
#define STIFFEST_ITERATIONS 16
/* Substeps of a step that share the coarsest level, at most, of cloth up to SOFT_STIFFNESS: with 4 a stiff plate falls
   by a fifth less (S17), and stiff springs turn too far from one substep to the next. */
#define SHARING_SUBSTEPS 2
/* Two substeps are equally long if they differ by no more than this share. */
#define EQUAL_SHARE 1.0e-3f
/* Automatic substeps are at least so many. */
#define LEAST_SUBSTEPS 2.0f
/* Largest scaled coefficient: beyond it a float has no digits left for the mass, 1, beside it. */
#define STIFFNESS_LIMIT 1.0e9f

/* A scaled coefficient; 0 if it is below WORK_QUANTUM. */
static float scaled(float value) {
  return flush_work(minimum(value, STIFFNESS_LIMIT));
}

static spring_terms spring_terms_of(const cloth *c, const substep_terms *t, int32_t d) {
  const cloth_fabric *f = &inputs_of(c)->fabric;
  return (spring_terms){.rest = direction_rest(c, d),
                        .stiffness = scaled(t->scale * direction_stiffness(c, d)),
                        .damping = scaled(t->scale * t->inverse_h * direction_damping(c, d)),
                        .compression = d <= WEFT ? f->compression : f->shear_compression,
                        .implicit = 1};
}

static void set_plate(const cloth *c, substep_terms *t) {
  const float u = c->grid.spacing_warp, v = c->grid.spacing_weft;
  const float rigidity = bend_rigidity(c, &t->bend_ratio);
  t->hinge[WARP] = scaled(t->scale * (rigidity * (v / u) / (u * u)));
  t->hinge[WEFT] = scaled(t->scale * (rigidity * (u / v) / (v * v)));
  t->twist = scaled(2.0f * t->scale * (rigidity / (u * v)));
  t->hinge_ratio = (u / v) * (u / v);
  t->viscosity = flush_work(inputs_of(c)->fabric.bend_damping * t->inverse_h);
  t->bends = t->hinge[WARP] > 0.0f || t->hinge[WEFT] > 0.0f;
  t->plate_implicit = 1;
}

/* The largest stiffness over mass of the terms: of stretch along both axes, of both diagonals, and of the plate. */
enum { TERM_WARP, TERM_WEFT, TERM_SHEAR, TERM_PLATE, TERM_COUNT };

static float term_bound(const cloth *c, const substep_terms *t, int32_t term) {
  const float most = max_kappa_factor(c);
  if (term == TERM_PLATE) { return 64.0f * most * (1.0f + t->viscosity) * maximum(t->hinge[WARP], t->hinge[WEFT]); }
  const spring_terms *s = &t->spring[term]; /* both diagonals are alike */
  const float beyond = term != TERM_SHEAR && t->limit > 0.0f ? t->limit_stiffness : 0.0f;
  return (term == TERM_SHEAR ? 8.0f : 4.0f) * most * ((1.0f + beyond) * s->stiffness + 2.0f * s->damping);
}

static void leave_out(substep_terms *t, int32_t term) {
  if (term == TERM_PLATE) {
    t->plate_implicit = 0;
    return;
  }
  t->spring[term].implicit = 0;
  if (term == TERM_SHEAR) { t->spring[ANTIDIAGONAL].implicit = 0; }
}

/* The sum of what all terms together would have outside of the operator. */
static float explicit_sum(const cloth *c, const substep_terms *t) {
  float sum = 0.0f;
  for (int32_t term = 0; term < TERM_COUNT; term++) {
    sum += term_bound(c, t, term);
  }
  return sum;
}

/* The terms that stay out of the operator: from the softest on, as long as their sum is at most `most`. */
static void choose_explicit(const cloth *c, substep_terms *t, float most) {
  float sum = 0.0f, after = -1.0f;
  for (int32_t n = 0; n < TERM_COUNT; n++) {
    int32_t softest = -1;
    float least = 0.0f;
    for (int32_t term = 0; term < TERM_COUNT; term++) {
      const float bound = term_bound(c, t, term);
      const int32_t is_out = term == TERM_PLATE ? !t->plate_implicit : !t->spring[term].implicit;
      if (!is_out && bound >= after && (softest < 0 || bound < least)) {
        softest = term;
        least = bound;
      }
    }
    sum += least;
    if (softest < 0 || sum > most) { return; }
    after = least;
    leave_out(t, softest);
  }
}

/* Chooses by the method of the config. Returns notes. */
static int32_t choose_terms(const cloth *c, substep_terms *t) {
  const int32_t method = c->settings.integration.method;
  const float sum = explicit_sum(c, t);
  if (method == CLOTH_INTEGRATION_ADAPTIVE) {
    choose_explicit(c, t, c->settings.integration.explicit_threshold);
  } else if (method == CLOTH_INTEGRATION_EXPLICIT_ONLY ||
             (method == CLOTH_INTEGRATION_EXPLICIT && sum <= EXPLICIT_BOUND)) {
    choose_explicit(c, t, 2.0f * sum); /* all: their sum in another order may round to more */
  }
  t->solves = t->plate_implicit && t->bends;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    t->solves |= t->spring[d].implicit && t->spring[d].stiffness + t->spring[d].damping > 0.0f;
  }
  return method == CLOTH_INTEGRATION_EXPLICIT && sum > EXPLICIT_BOUND ? CLOTH_NOTE_MADE_IMPLICIT : 0;
}

/* The largest k' of a spring, by which iterations are chosen. */
static float largest_stiffness(const cloth *c, const substep_terms *t) {
  const float springs =
      maximum(maximum(t->spring[WARP].stiffness, t->spring[WEFT].stiffness), t->spring[DIAGONAL].stiffness);
  return springs * c->settings.factors.max_stiffness;
}

/* The largest kappa of a hinge in the operator, with its viscosity. */
static float plate_stiffness(const cloth *c, const substep_terms *t) {
  const float kappa = maximum(t->hinge[WARP], t->hinge[WEFT]) * c->settings.factors.max_stiffness;
  return t->plate_implicit ? (1.0f + t->viscosity) * kappa : 0.0f;
}

/* 1 if much of a cloth is missing, or it may be in pieces. */
static int has_many_gaps(const cloth *c) {
  const int32_t cells = cells_along_warp(c) * (c->grid.rows - 1);
  if (!has_gaps(c)) { return 0; }
  const gap_summary *s = gap_summary_of(c);
  /* The model of a config has no pieces, and no byte that could tell whether it is torn. */
  return s->pieces != 1 || (cells - s->cells) * MANY_GAPS > cells || is_torn_cloth(c);
}

/* Automatic iterations of a cloth that is not a net. */
static int32_t iterations_by_stiffness(const cloth *c, const substep_terms *t, int32_t substeps) {
  const float stiffness = largest_stiffness(c, t), columns = (float)c->grid.columns;
  const float ring = is_wrapped(c) ? columns * columns : STIFFNESS_LIMIT;
  if (stiffness > NARROW_RING * ring) { return RING_ITERATIONS; }
  const float plate = plate_stiffness(c, t);
  if (stiffness > minimum(STIFFEST_RING * ring, STIFFEST_STIFFNESS) || plate > STIFFEST_PLATE) {
    return STIFFEST_ITERATIONS;
  }
  if (stiffness > minimum(STIFF_RING * ring, STIFF_STIFFNESS) || plate > STIFF_PLATE) { return STIFF_ITERATIONS; }
  const int32_t firmness = (stiffness > SOFT_STIFFNESS) + (stiffness > FIRM_STIFFNESS);
  const int32_t by_stiffness = LEAST_ITERATIONS + (is_wrapped(c) || has_many_gaps(c)) + firmness;
  return substeps >= MANY_SUBSTEPS ? MANY_ITERATIONS : by_stiffness;
}

/* Iterations of the solve of a substep, one of so many. */
static int32_t iterations_for(const cloth *c, const substep_terms *t, int32_t substeps) {
  if (c->settings.solver.tolerance > 0.0f) { return c->settings.solver.max_iterations; }
  if (c->settings.integration.iterations > 0) { return c->settings.integration.iterations; }
  const int32_t is_net = t->spring[DIAGONAL].stiffness < NET_SHEAR * largest_stiffness(c, t);
  const int32_t least = c->settings.tethers.count > 1 ? STIFF_ITERATIONS : LEAST_ITERATIONS;
  return larger_of(iterations_by_stiffness(c, t, substeps) + (is_net ? NET_ITERATIONS : 0), least);
}

/* 1 if the stiffness of no family of springs is less than EVEN_SHARE of the largest of a spring. */
static int32_t are_springs_even(const cloth *c, const substep_terms *t) {
  const float stretch = minimum(t->spring[WARP].stiffness, t->spring[WEFT].stiffness);
  return minimum(stretch, t->spring[DIAGONAL].stiffness) >= EVEN_SHARE * largest_stiffness(c, t);
}

static int32_t are_iterations_chosen(const cloth *c) {
  return c->settings.solver.tolerance > 0.0f || c->settings.integration.iterations > 0;
}

/* The most iterations, where `iterations` are not enough. */
static int32_t most_iterations_for(const cloth *c, const substep_terms *t, int32_t iterations) {
  const int32_t is_chosen = are_iterations_chosen(c);
  const int32_t is_easy = largest_stiffness(c, t) <= SOFT_STIFFNESS && are_springs_even(c, t);
  return is_chosen || is_easy ? iterations : LONGER_SOLVE * iterations;
}

/* Share of BDF2 in the prediction: none until three substeps have been equally long. */
static float blend_for(const cloth *c, float h) {
  const float last = inputs_of(c)->last_substep, off = h - last;
  const int32_t is_equal = off <= EQUAL_SHARE * h && off >= -EQUAL_SHARE * h;
  return is_equal && inputs_of(c)->equal_substeps >= MOST_EQUAL_SUBSTEPS ? c->settings.integration.bdf2_blend : 0.0f;
}

/* Fills the coefficients of a substep of h seconds, one of so many of a step. Returns notes. */
static int32_t set_terms(const cloth *c, float h, int32_t substeps, substep_terms *t) {
  t->h = h;
  t->inverse_h = 1.0f / h;
  t->blend = blend_for(c, h);
  t->share = 1.0f - t->blend * (5.0f / 9.0f);
  t->scale = t->share * h * (h / reference_mass(c));
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    t->spring[d] = spring_terms_of(c, t, d);
  }
  t->limit = c->settings.strain_limit.max_extension;
  t->limit_stiffness = c->settings.strain_limit.stiffness;
  set_plate(c, t);
  const int32_t notes = choose_terms(c, t);
  t->iterations = iterations_for(c, t, substeps);
  t->most_iterations = most_iterations_for(c, t, t->iterations);
  t->rounds = are_iterations_chosen(c) ? 1 : TOUCHING_ROUNDS;
  t->keeps_coarsest = substeps <= SHARING_SUBSTEPS && largest_stiffness(c, t) <= SOFT_STIFFNESS &&
                      inputs_of(c)->targets == TARGETS_NONE && c->settings.tethers.count == 0;
  t->drag = 1.0f / (1.0f + c->settings.integration.velocity_damping * h);
  t->dry_drag = flush_work(h * c->settings.integration.rest_drag);
  t->rest_speed = 1.0f / (c->settings.integration.rest_speed * c->settings.integration.rest_speed);
  return notes;
}

/* Substeps of a step of dt seconds, not rounded, at which all terms may stay out of the operator. */
static float explicit_substeps(const cloth *c, float dt) {
  substep_terms t;
  set_terms(c, dt, 1, &t);
  const float most = maximum(c->settings.integration.explicit_threshold, 0.25f), sum = explicit_sum(c, &t);
  float substeps = 1.0f;
  for (int32_t n = 0; n < 16 && substeps < (float)CLOTH_SUBSTEP_LIMIT && sum > most; n++) {
    set_terms(c, dt / substeps, 1, &t);
    const float now = explicit_sum(c, &t);
    if (now <= most) { break; }
    substeps *= maximum(square_root(now / most), 1.01f);
  }
  return substeps;
}

/* Fills the coefficients of springs: k', k' L, TURN_WEIGHT k' / L^2, c' at each column where the spring is on the grid,
   else 0; and the weights of the plate's diagonal at the columns. */
static void fill_coefficient_rows(const solve_arrays *a, const substep_terms *t) {
  const int32_t columns = a->columns, is_open = !a->is_ring;
  const float viscous = t->plate_implicit ? 1.0f + t->viscosity : 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    const spring_terms *s = &t->spring[d];
    const float values[ROW_KINDS] = {s->stiffness, s->stiffness * s->rest,
                                     TURN_WEIGHT * s->stiffness / (s->rest * s->rest), s->damping};
    const int32_t last = columns - (is_open && (d == WARP || d == DIAGONAL)), first = is_open && d == ANTIDIAGONAL;
    for (int32_t i = 0; i < a->pitch; i += CLOTH_LANES) {
      float *to = OWN(a->coefficients, COEFFICIENT_FLOATS, i, ROW_KINDS * d);
      for (int32_t kind = 0; kind < ROW_KINDS; kind++) {
        const lanes value = lanes_drop(lanes_first(first - i), lanes_splat(values[kind]));
        lanes_store(to + kind * CLOTH_LANES, lanes_keep(lanes_first(last - i), value));
      }
    }
  }
  for (int32_t i = 0; i < a->pitch; i++) {
    float *to = own_at(a->coefficients, COEFFICIENT_FLOATS, i, 0);
    to[ROW_HINGES * CLOTH_LANES] = viscous * t->hinge[WARP] * hinges_on_element(i, columns, a->is_ring);
    to[ROW_TWISTS * CLOTH_LANES] = cells_at_element(i, columns, a->is_ring);
  }
}

/// Plan of a step ///

/* What a step fixes before its first substep: the number of substeps and their coefficients, in the workspace. */

/* Largest of the squares of the particles' velocities, as they are stored [m^2/s^2]. */
static float max_squared_speed(const cloth *c) {
  const vector_array velocity = vectors_at(c, c->state.velocity);
  lanes most = lanes_splat(0.0f);
  EACH_BLOCK(i, left, c->count, {
    const lanes3 v = lanes3_keep(lanes_first(left), lanes3_load(velocity, i));
    most = lanes_maximum(lanes3_dot(v, v), most);
  });
  return lanes_largest(most, 0.0f);
}

/* Speed of the fastest particle as a step of dt seconds starts [m/s]. */
static float max_particle_speed(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  float max_squared = 0.0f;
  if (!(freedom_of_some(c) & PIN_MOVING)) { return square_root(max_squared_speed(c)); }
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = starting_velocity(c, i, inverse_dt);
    max_squared = maximum(max_squared, vector_dot(velocity, velocity));
  }
  return square_root(max_squared);
}

/* The least number of substeps that a cloth may choose for a step of dt seconds: none is longer than LONGEST_SUBSTEP.
 */
static int32_t least_substeps(const cloth *c, float dt) {
  const int32_t wanted = c->settings.integration.substeps, cap = c->settings.integration.max_substeps;
  const float least = maximum(dt / LONGEST_SUBSTEP - EQUAL_SHARE, (float)(wanted > 0 ? wanted : 1));
  return ceiling_within(least, wanted > cap ? wanted : cap);
}

/* Substeps of a step: as configured; or the maximum with fixed work; or so many that no particle moves further than a
   share of a cell in one, within the cap. Without an operator as many as the stiffness demands. */
static int32_t choose_substeps(const cloth *c, float dt, int at_rest) {
  const int32_t cap = c->settings.integration.max_substeps;
  if (c->settings.integration.substeps > 0) { return least_substeps(c, dt); }
  if (c->settings.capacity.fixed_work) { return cap; }
  const float travel = at_rest ? 0.0f : max_particle_speed(c, dt) * dt;
  float substeps = travel / (SUBSTEP_TRAVEL * minimum(c->grid.spacing_warp, c->grid.spacing_weft));
  substeps = maximum(maximum(substeps, dt / LONGEST_SUBSTEP - EQUAL_SHARE), LEAST_SUBSTEPS);
  if (c->settings.integration.method == CLOTH_INTEGRATION_EXPLICIT_ONLY) {
    substeps = maximum(substeps, explicit_substeps(c, dt));
  }
  return ceiling_within(substeps, cap);
}

/* 1 if a step is refused: an explicit-only cloth has no solver for a family that would be unstable. */
static int is_refused(const cloth *c, float dt) {
  if (c->settings.integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY) { return 0; }
  substep_terms terms;
  const int32_t substeps = choose_substeps(c, dt, 0);
  set_terms(c, dt / (float)substeps, substeps, &terms);
  return explicit_sum(c, &terms) > EXPLICIT_BOUND;
}

/* Fills a plan for a step of dt in so many substeps. */
CLOTH_SEPARATE void plan_step_in(const cloth *c, float dt, int32_t substeps, step_plan *plan) {
  fill_zero(plan, sizeof *plan);
  plan->dt = dt;
  plan->substeps = substeps;
  plan->stride = 1;
  plan->h = dt / (float)substeps;
  plan->inverse_h = 1.0f / plan->h;
  plan->notes = set_terms(c, plan->h, substeps, &plan->terms);
}

/* Do the moves of all pins stay within the speed limit in a step of dt seconds? */
static int are_moves_in_range(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  int have_moves = (freedom_of_some(c) & PIN_MOVING) != 0;
  for (int32_t i = have_moves ? next_pin(c, 0) : c->count; i < c->count; i = next_pin(c, i + 1)) {
    if (!vector_in_range(starting_velocity(c, i, inverse_dt), CLOTH_SPEED_LIMIT)) { return 0; }
  }
  return 1;
}

/* CLOTH_OK if a step of dt seconds can be made, or what cloth_step() returns; asleep without particles or moves. */
static int check_step(const cloth *c, float dt) {
  RETURN_IF_ERROR(check_cloth(c));
  if (!is_time_step(dt)) { return CLOTH_ERROR_RANGE; }
  if (!c->has_scratch) { return CLOTH_ERROR_STATE; }
  if (!(WITH_SLEEP && is_asleep(c)) && !are_moves_in_range(c, dt)) { return CLOTH_ERROR_RANGE; }
  return is_refused(c, dt) ? CLOTH_ERROR_UNSTABLE : CLOTH_OK;
}
