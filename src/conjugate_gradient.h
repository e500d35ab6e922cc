#pragma once
#include "access.h"
#include "block3.h"
#include "compiler.h"
#include "lanes.h"
#include "multilevel.h"
#include "operator.h"
#include "scalar.h"
#include "types.h"

/// Conjugate gradient ///

/*
 * Modified preconditioned conjugate gradient with corrections (thesis fig. 5.2): solves A x = b for the velocity
 * changes of a substep, constrained particles included, see block3.h.
 *
 * In: scratch.residual (b - A x), the operator, scratch.inverse, with the multilevel preconditioner its nodes;
 * state.warm_start. Out: scratch.solution (x), scratch.residual, which in constrained directions is the constraint
 * force. Scratch: direction (p); product, which holds z = P^-1 r and then, row by row, q = A p; row_buffers.
 */

/* direction = z + beta direction for a block of particles, z being the preconditioned residual. */
CLOTH_INLINE void update_direction_block(vector_array direction, int32_t i, lanes3 z, float beta, int32_t left) {
  lanes3 next = lanes3_add(z, lanes3_scale(lanes3_load(direction, i), lanes_splat(beta)));
  lanes3_store(direction, i, lanes3_quantise(next, WORK_ROUNDER), left);
}

/* direction = z + beta direction for one row, with the blocks of the particles alone as preconditioner. */
CLOTH_HOT static void update_direction_row(const cloth *c, int32_t row, float beta) {
  const vector_array z = vectors_at(c, c->scratch.product);
  const vector_array direction = vectors_at(c, c->scratch.direction);
  const int32_t columns = c->grid.columns;
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = row * columns + column;
    update_direction_block(direction, i, lanes3_load(z, i), beta, columns - column);
  }
}

typedef struct solve_result {
  int32_t iterations;
  int32_t capped; /* 1 if the solve ended above the tolerance, at the cap or because refinement was refused */
  float residual; /* relative to that of x = (I - S) z, in the P^-1 norm */
} solve_result;

/* product = P^-1 residual. Returns residual . product. */
CLOTH_HOT static float precondition(const cloth *c) {
  vector_array r = vectors_at(c, c->scratch.residual);
  vector_array z = vectors_at(c, c->scratch.product);
  const float *inverse = floats_at(c, c->scratch.inverse);
  const int32_t count = c->count, stride = c->stride;
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 residual = lanes3_quantise(lanes3_load(r, i), WORK_ROUNDER);
    lanes3 preconditioned = symmetric_apply(symmetric_at(inverse + i, stride), residual);
    lanes3_store(z, i, preconditioned, count - i);
    lanes dot = lanes3_dot(residual, preconditioned);
    lanes_sum_add(&sum, i, lanes_within(dot, count - i));
  }
  return lanes_sum_total(&sum);
}

/* An update of solution and residual. Loop invariants are copied here: a lane store may alias *c, so that the compiler
   would reload them for every block. */
typedef struct advance_context {
  vector_array r, p, q, x; /* residual, direction, product, solution */
  const float *inverse;    /* blocks of the preconditioner */
  int32_t stride;
  lanes alpha;
} advance_context;

/* advance_and_precondition() for one block; `left` is the number of particles to the end, or at least a block. Returns
   the products whose sum is residual . product. */
CLOTH_INLINE lanes advance_block(const advance_context *o, int32_t i, int32_t left) {
  lanes3 step = lanes3_scale(lanes3_load(o->p, i), o->alpha);
  lanes3_store(o->x, i, lanes3_add(lanes3_load(o->x, i), step), left);
  lanes3 residual = lanes3_subtract(lanes3_load(o->r, i), lanes3_scale(lanes3_load(o->q, i), o->alpha));
  residual = lanes3_quantise(residual, WORK_ROUNDER);
  lanes3_store(o->r, i, residual, left);
  lanes3 preconditioned = symmetric_apply(symmetric_at(o->inverse + i, o->stride), residual);
  lanes3_store(o->q, i, preconditioned, left);
  return lanes_within(lanes3_dot(residual, preconditioned), left);
}

/* solution += alpha direction, residual -= alpha product, product = P^-1 residual. Returns residual . product. */
CLOTH_HOT static float advance_and_precondition(const cloth *c, float alpha) {
  const advance_context o = {.r = vectors_at(c, c->scratch.residual),
                             .p = vectors_at(c, c->scratch.direction),
                             .q = vectors_at(c, c->scratch.product),
                             .x = vectors_at(c, c->scratch.solution),
                             .inverse = floats_at(c, c->scratch.inverse),
                             .stride = c->stride,
                             .alpha = lanes_splat(alpha)};
  lanes_sum sum = {{0.0f}};
  EACH_BLOCK(i, left, c->count, lanes_sum_add(&sum, i, advance_block(&o, i, left)));
  return lanes_sum_total(&sum);
}

/* Squared residual in the P^-1 norm for each particle, about (1e-8 m/s)^2, below which a solve is over. Smaller
   residuals show the rounding to WORK_QUANTUM, and a residual that is pure rounding error gives a meaningless
   direction. */
#define SOLVED_PER_PARTICLE 1.0e-16f

/* Smallest step alpha along a direction, 2^-30: far below what a matrix with kappa up to KAPPA_LIMIT leads to. A
   multiple of 2^-53 times a direction's multiple of 2^-40 is not subnormal. */
#define CG_MIN_STEP STATE_QUANTUM

/* Range of numbers that may be divided by: their inverses are finite and normal. */
#define CG_MIN_DIVISOR 1.0e-30f
#define CG_MAX_DIVISOR 1.0e30f

static int is_usable(float value) {
  return value > CG_MIN_DIVISOR && value < CG_MAX_DIVISOR;
}

CLOTH_HOT static float dot_product(const cloth *c, vector_array a, vector_array b) {
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes dot = lanes3_dot(lanes3_load(a, i), lanes3_load(b, i));
    lanes_sum_add(&sum, i, lanes_within(dot, c->count - i));
  }
  return lanes_sum_total(&sum);
}

/* Rounds the solution to multiples of 2^-40, see WORK_ROUNDER. */
static void quantise_solution(const cloth *c) {
  vector_array x = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes3_store(x, i, lanes3_quantise(lanes3_load(x, i), WORK_ROUNDER), c->count - i);
  }
}

/* Lets the coarse grids correct the residual, if multilevel. Returns what they add to residual . z. */
static float coarse_correction(const cloth *c, int multilevel) {
#if WITH_MULTILEVEL
  return multilevel ? correct_coarse(c) : 0.0f;
#else
  (void)c;
  (void)multilevel;
  return 0.0f;
#endif
}

#if WITH_MULTILEVEL
/* direction = z + beta direction for one row, z including the corrections of coarse grids. Call it for rows 0, 1, 2 ...
 */
CLOTH_HOT CLOTH_SEPARATE void update_corrected_row(const cloth *c, int32_t row, float beta) {
  const vector_array z = vectors_at(c, c->scratch.product);
  const vector_array direction = vectors_at(c, c->scratch.direction);
  const float *share = floats_at(c, c->scratch.share);
  const int32_t columns = c->grid.columns;
  const grid_level fine = finest_level(c);
  const grid_level coarse = coarser_level(c, &fine);
  const node_rows around = nodes_around(c, &coarse, row, columns);
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = row * columns + column;
    lanes3 correction = lanes3_scale(nodes_between(&around, column), lanes_load(share + i));
    update_direction_block(direction, i, lanes3_add(lanes3_load(z, i), correction), beta, columns - column);
  }
}
#endif

/*
 * direction = z + beta direction, product = A direction, in one pass over the grid. z and product share memory: the
 * direction is updated two rows ahead of the row whose product is written, as far as bend springs reach, so that z is
 * read before it is overwritten. Returns direction . product.
 */
CLOTH_SEPARATE float update_direction_and_apply(const cloth *c, const step_plan *plan, float beta, int multilevel) {
  int bends = plan->bend_mode == CLOTH_MODE_IMPLICIT;
  lanes_sum sum = {{0.0f}};
  int32_t updated = 0; /* rows whose direction is */
  clear_row_buffers(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (; updated < c->grid.rows && updated <= row + 2; updated++) {
#if WITH_MULTILEVEL
      if (multilevel) {
        update_corrected_row(c, updated, beta);
        continue;
      }
#endif
      (void)multilevel;
      update_direction_row(c, updated, beta);
    }
    operator_row(c, plan, row, &sum);
    if (bends) {
      bend_operator_row(c, row, &sum);
    }
  }
#if WITH_WRAP
  if (is_wrapped(c)) {
    operator_seam(c, plan, &sum);
  }
#endif
  return lanes_sum_total(&sum);
}

/* product = A direction, by update_direction_and_apply() with z = 0 and beta = 1. Returns direction . product. */
static float apply_operator(const cloth *c, const step_plan *plan) {
  fill_vectors(c, vectors_at(c, c->scratch.product), 0.0f);
  return update_direction_and_apply(c, plan, 1.0f, 0);
}

/*
 * Corrected start x = S x0 + (I - S) z (thesis fig. 5.2), x0 being the solution of the last substep, scaled by a line
 * search t = clamp(x0 . r / x0 . A x0, 0, 1): without it a start can raise the energy of a solve that is cut short. x0
 * counts as 0 for particles that are not free. Returns residual . product, as advance_and_precondition() does.
 */
CLOTH_SEPARATE float start_warm(const cloth *c, const step_plan *plan) {
  vector_array x0 = vectors_at(c, c->state.warm_start);
  vector_array p = vectors_at(c, c->scratch.direction);
  const float *mobility = floats_at(c, c->scratch.mobility);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t freedom = freedom_of(c)[i] & FREEDOM_MASK;
    int touches = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_NONE;
    int is_free = freedom == FREEDOM_FREE && mobility[i] > 0.0f && !touches;
    vector_store(p, i, is_free ? vector_load(x0, i) : vector(0.0f, 0.0f, 0.0f));
  }
  float curvature = apply_operator(c, plan);
  float slope = dot_product(c, p, vectors_at(c, c->scratch.residual));
  if (!is_usable(curvature) || !(slope > CG_MIN_STEP * curvature)) {
    return precondition(c);
  }
  return advance_and_precondition(c, slope < curvature ? slope / curvature : 1.0f);
}

/* Costs one iteration and changes neither solution nor residual: alpha is 0. For fixed work. Skipped when the curvature
   is NaN or infinite, as 0 times that would spoil the solution. */
static void iterate_without_effect(const cloth *c, const step_plan *plan, int multilevel) {
  if (is_finite(update_direction_and_apply(c, plan, 0.0f, multilevel))) {
    advance_and_precondition(c, 0.0f);
    coarse_correction(c, multilevel);
  }
}

/*
 * The conjugate gradient. On entry the residual holds b - A x and the solution x = (I - S) z. Stops at the tolerance,
 * relative to that start in the P^-1 norm, at the cap, when rounding has used up the descent, or when a timed step
 * refuses another iteration.
 *
 * Cut short, each iterate still lowers the quadratic 1/2 x.A x - b.x from that start. That bounds the energy of the
 * velocity change only up to a factor of the order of kappa, which is why solvable_kappa() and DAMPING_LIMIT keep kappa
 * within what the cap can resolve.
 */
static solve_result solve(const cloth *c, const step_plan *plan, int multilevel) {
  solve_result result = {0, 0, 0.0f};
  float reference = precondition(c) + coarse_correction(c, multilevel);
  float delta = c->state.warm_start ? start_warm(c, plan) + coarse_correction(c, multilevel) : reference;
  float target = maximum(c->settings.solver.tolerance * c->settings.solver.tolerance * reference,
                         SOLVED_PER_PARTICLE * (float)c->count);
  float beta = 0.0f;
  int refused = 0;
  fill_vectors(c, vectors_at(c, c->scratch.direction), 0.0f);
  while (result.iterations < c->settings.solver.max_iterations && delta > target && is_usable(delta)) {
    if (result.iterations > 0 && !may_refine(c)) {
      refused = 1;
      break;
    }
    float curvature = update_direction_and_apply(c, plan, beta, multilevel);
    if (!is_usable(curvature) || delta < CG_MIN_STEP * curvature) {
      break;
    }
    float next = advance_and_precondition(c, delta / curvature) + coarse_correction(c, multilevel);
    beta = next > 0.0f && is_finite(next) ? flush_small(next / delta, WORK_QUANTUM) : 0.0f;
    delta = next;
    result.iterations++;
  }
  CLOTH_ASSERT(result.iterations <= c->settings.solver.max_iterations);
  for (int32_t idle = result.iterations; c->settings.capacity.fixed_work && idle < c->settings.solver.max_iterations;
       idle++) {
    iterate_without_effect(c, plan, multilevel);
  }
  quantise_solution(c);
  result.capped = (refused || result.iterations == c->settings.solver.max_iterations) && delta > target;
  result.residual = is_usable(reference) && delta > 0.0f ? square_root(delta / reference) : 0.0f;
  if (!(reference < CG_MAX_DIVISOR)) {
    result.residual = 1.0f; /* NaN or too large: nothing was solved; accept_particles() recovers the particles */
  }
  return result;
}
