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

/* direction = z + beta direction for one row, z being the preconditioned residual, without what coarser grids add. */
CLOTH_HOT static void update_direction_row(const cloth *c, int32_t row, float beta) {
  const vector_array z = vectors_at(c, c->scratch.product);
  const vector_array direction = vectors_at(c, c->scratch.direction);
  const int32_t columns = c->grid.columns;
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = row * columns + column;
    lanes3 old = lanes3_load(direction, i);
    lanes3 turned = lanes3_add(lanes3_load(z, i), lanes3_scale(old, lanes_splat(beta)));
    lanes3_store(direction, i, lanes3_quantise(turned, WORK_ROUNDER), columns - column);
  }
}

typedef struct solve_result {
  int32_t iterations;
  int32_t capped;
  float residual; /* relative, in the inverse preconditioner's norm */
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

/* What the iteration goes on with. All is at hand, as stores of lanes might change anything else. */
typedef struct advance_context {
  vector_array r, p, q, y;
  const float *inverse;
  int32_t stride;
  lanes alpha;
} advance_context;

/* One block of what follows, with `left` to the end or at least a block. Returns its part of residual . product. */
CLOTH_INLINE lanes advance_block(const advance_context *o, int32_t i, int32_t left) {
  lanes3 step = lanes3_scale(lanes3_load(o->p, i), o->alpha);
  lanes3_store(o->y, i, lanes3_add(lanes3_load(o->y, i), step), left);
  lanes3 residual = lanes3_subtract(lanes3_load(o->r, i), lanes3_scale(lanes3_load(o->q, i), o->alpha));
  residual = lanes3_quantise(residual, WORK_ROUNDER);
  lanes3_store(o->r, i, residual, left);
  lanes3 preconditioned = symmetric_apply(symmetric_at(o->inverse + i, o->stride), residual);
  lanes3_store(o->q, i, preconditioned, left);
  return lanes_within(lanes3_dot(residual, preconditioned), left);
}

/* solution += alpha direction, residual -= alpha product, product = P^-1 residual. Returns residual . product. */
CLOTH_HOT static float advance_and_precondition(const cloth *c, float alpha) {
  const advance_context o = {vectors_at(c, c->scratch.residual),
                             vectors_at(c, c->scratch.direction),
                             vectors_at(c, c->scratch.product),
                             vectors_at(c, c->scratch.solution),
                             floats_at(c, c->scratch.inverse),
                             c->stride,
                             lanes_splat(alpha)};
  lanes_sum sum = {{0.0f}};
  EACH_BLOCK(i, left, c->count, lanes_sum_add(&sum, i, advance_block(&o, i, left)));
  return lanes_sum_total(&sum);
}

/* Once the squared norm of the residual is below this for each particle, about (1e-8 m/s)^2, the solve is over: the
   work quantum begins to show, and a residual made of rounding would lead anywhere. */
#define SOLVED_PER_PARTICLE 1.0e-16f

/* Least step along a direction, 2^-30. Far below what a matrix with kappa up to its limit can ask for; a multiple of
   2^-53 times one of 2^-40 stays clear of the subnormal numbers. */
#define LEAST_STEP STATE_QUANTUM

/* A float that can be divided by: positive, finite, and with a finite inverse. */
static int is_usable(float value) {
  return value > 1.0e-30f && value < 1.0e30f;
}

CLOTH_HOT static float dot_product(const cloth *c, vector_array a, vector_array b) {
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes dot = lanes3_dot(lanes3_load(a, i), lanes3_load(b, i));
    lanes_sum_add(&sum, i, lanes_within(dot, c->count - i));
  }
  return lanes_sum_total(&sum);
}

/* What the solution is too fine in is dropped, see WORK_ROUNDER. */
static void quantise_solution(const cloth *c) {
  vector_array y = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes3_store(y, i, lanes3_quantise(lanes3_load(y, i), WORK_ROUNDER), c->count - i);
  }
}

/* What coarser grids add to residual . z. */
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
/* The same with what coarser grids add. */
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
    lanes3 coarse_correction = lanes3_scale(nodes_between(&around, column), lanes_load(share + i));
    coarse_correction = lanes3_add(lanes3_load(z, i), coarse_correction);
    lanes3 turned = lanes3_add(coarse_correction, lanes3_scale(lanes3_load(direction, i), lanes_splat(beta)));
    lanes3_store(direction, i, lanes3_quantise(turned, WORK_ROUNDER), columns - column);
  }
}
#endif

/*
 * direction = z + beta direction, product = A direction, in one pass over the grid. z and product share their memory:
 * the direction is turned two rows ahead of the row whose product is written, as far as bend springs reach, so z is
 * read before it is overwritten. Returns direction . product.
 */
CLOTH_SEPARATE float update_direction_and_apply(const cloth *c, const step_plan *plan, float beta, int multilevel) {
  int bends = plan->bend_mode == CLOTH_MODE_IMPLICIT;
  lanes_sum sum = {{0.0f}};
  int32_t turned = 0;
  clear_row_buffers(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (; turned < c->grid.rows && turned <= row + 2; turned++) {
#if WITH_MULTILEVEL
      if (multilevel) {
        update_corrected_row(c, turned, beta);
        continue;
      }
#endif
      (void)multilevel;
      update_direction_row(c, turned, beta);
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

/* product = A direction; needs a cleared product, which serves as z. Returns direction . product. */
static float apply_operator(const cloth *c, const step_plan *plan) {
  fill_vectors(c, vectors_at(c, c->scratch.product), 0.0f);
  return update_direction_and_apply(c, plan, 1.0f, 0);
}

/*
 * Corrected start x = S x0 + (I - S) z (thesis fig. 5.2) with x0 the last substep's solution, scaled by a line search
 * t = clamp(x0 . r / x0 . A x0, 0, 1): a raw start can raise the energy of a truncated solve, this one cannot.
 * x0 is dropped for particles that are not free. Returns residual . product, as advance_and_precondition() does.
 */
CLOTH_SEPARATE float start_warm(const cloth *c, const step_plan *plan) {
  vector_array x0 = vectors_at(c, c->state.warm_start);
  vector_array p = vectors_at(c, c->scratch.direction);
  const float *mobility = floats_at(c, c->scratch.mobility);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t freedom = freedom_of(c)[i] & FREEDOM_MASK;
    int held = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_NONE;
    int keeps = freedom == FREEDOM_FREE && mobility[i] > 0.0f && !held;
    vector_store(p, i, keeps ? vector_load(x0, i) : vector(0.0f, 0.0f, 0.0f));
  }
  float curvature = apply_operator(c, plan);
  float slope = dot_product(c, p, vectors_at(c, c->scratch.residual));
  if (!is_usable(curvature) || !(slope > LEAST_STEP * curvature)) {
    return precondition(c);
  }
  return advance_and_precondition(c, slope < curvature ? slope / curvature : 1.0f);
}

/* Does what an iteration does and moves nothing, unless a number is none: then nothing may be multiplied, even by 0. */
static void iterate_without_effect(const cloth *c, const step_plan *plan, int multilevel) {
  if (is_finite(update_direction_and_apply(c, plan, 0.0f, multilevel))) {
    advance_and_precondition(c, 0.0f);
    coarse_correction(c, multilevel);
  }
}

/*
 * Modified preconditioned conjugate gradient with corrections (thesis fig. 5.2). On entry the residual holds
 * b - A x and the solution x = (I - S) z. Stops at the tolerance, relative to that start in the P^-1 norm, at the cap,
 * or when rounding has used up the descent.
 *
 * Cut short, each iterate still lowers the quadratic 1/2 x.A x - b.x from zero. That bounds the energy of the velocity
 * change only up to a factor of the order of kappa, which is why solvable_kappa() and DAMPING_LIMIT keep kappa within
 * what the cap can resolve.
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
    if (!is_usable(curvature) || delta < LEAST_STEP * curvature) {
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
  if (!(reference < 1.0e30f)) {
    result.residual = 1.0f; /* nothing was solved; the guard of the substep takes over */
  }
  return result;
}
