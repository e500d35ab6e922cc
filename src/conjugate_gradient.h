#pragma once
#include "access.h"
#include "attached_solve.h"
#include "block3.h"
#include "compiler.h"
#include "lanes.h"
#include "multilevel.h"
#include "operator.h"
#include "scalar.h"
#include "types.h"

/// Conjugate gradient ///

/*
 * Modified preconditioned conjugate gradient for A y = b (Baraff and Witkin 1998; thesis fig. 5.2). The vectors are
 * those of the literature: y = scratch.solution, r = scratch.residual, p = scratch.direction. scratch.product holds two
 * in turn: q = A p, from update_direction_and_apply() until r is updated, and from then on z, the residual times the
 * preconditioner. z lacks the part of the coarser grids, which lies at their nodes until p is updated.
 * In: scratch.residual (b - A y) and scratch.solution (y); the operator's blocks; inverse, share and nodes; mobility,
 * the contacts and state.warm_start.
 * Out: scratch.solution and scratch.residual.
 * Scratch: direction, product, row_buffers, coarse_lines, and of nodes the residuals and corrections.
 */

/* direction = z + beta direction for one row, without the part of the coarser grids. */
CLOTH_HOT static void update_direction_row(const cloth *c, int32_t row, float beta) {
  const vector_array z = vectors_at(c, c->scratch.product);
  const vector_array direction = vectors_at(c, c->scratch.direction);
  const int32_t columns = c->grid.columns;
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = row * columns + column;
    lanes3 old = lanes3_load(direction, i);
    lanes3 updated = lanes3_add(lanes3_load(z, i), lanes3_scale(old, lanes_splat(beta)));
    lanes3_store(direction, i, lanes3_quantise(updated, WORK_ROUNDER), columns - column);
  }
}

typedef struct solve_result {
  int32_t iterations;
  int32_t capped; /* 1 if the cap, or may_refine(), stopped it above the tolerance */
  float residual; /* sqrt(residual . z) over its value on entry */
} solve_result;

/* product = P^-1 residual, with the block preconditioner. Returns residual . product. */
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

/* Operands of advance_and_precondition(). They are copies of loop invariants: a lane store may alias *c, so the
   compiler would otherwise load them again for each block. */
typedef struct advance_context {
  vector_array r, p, q, y; /* residual, direction, product, solution */
  const float *inverse;    /* the preconditioner's blocks */
  int32_t stride;          /* floats from one entry of a block to the next */
  lanes alpha;             /* length of the step along the direction */
} advance_context;

/* advance_and_precondition() for one block, of which `left` particles exist. Returns its part of residual . product. */
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
  const advance_context o = {.r = vectors_at(c, c->scratch.residual),
                             .p = vectors_at(c, c->scratch.direction),
                             .q = vectors_at(c, c->scratch.product),
                             .y = vectors_at(c, c->scratch.solution),
                             .inverse = floats_at(c, c->scratch.inverse),
                             .stride = c->stride,
                             .alpha = lanes_splat(alpha)};
  lanes_sum sum = {{0.0f}};
  EACH_BLOCK(i, left, c->count, lanes_sum_add(&sum, i, advance_block(&o, i, left)));
  return lanes_sum_total(&sum);
}

/* The solve ends when residual . z is below this times the number of particles: about (1e-8 m/s)^2 for each. Below it
   rounding to WORK_QUANTUM dominates, and a residual that is rounding error gives a meaningless direction. */
#define SOLVED_PER_PARTICLE 1.0e-16f

/* Smallest step alpha along a direction, 2^-30: far below the inverse of the largest eigenvalue at any kappa up to
   KAPPA_LIMIT. As a float it is a multiple of 2^-53, so its products with vectors, multiples of 2^-40, are not
   subnormal. A smaller step could make them so. */
#define MIN_STEP STATE_QUANTUM

/* Bounds of what the iteration divides by. They keep the inverses far from overflow and from subnormal numbers, which
   begin at divisors of about 1e-38 and 1e38. */
#define MIN_DIVISOR 1.0e-30f
#define MAX_DIVISOR 1.0e30f

/* May the iteration divide by this? Not by 0, by negative numbers, NaN or infinity. */
static int is_usable(float value) {
  return value > MIN_DIVISOR && value < MAX_DIVISOR;
}

CLOTH_HOT static float dot_product(const cloth *c, vector_array a, vector_array b) {
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes dot = lanes3_dot(lanes3_load(a, i), lanes3_load(b, i));
    lanes_sum_add(&sum, i, lanes_within(dot, c->count - i));
  }
  return lanes_sum_total(&sum);
}

/* Rounds the solution to multiples of WORK_QUANTUM: steps alpha p have finer parts. */
static void quantise_solution(const cloth *c) {
  vector_array y = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes3_store(y, i, lanes3_quantise(lanes3_load(y, i), WORK_ROUNDER), c->count - i);
  }
}

/* Computes the corrections of the coarser grids, which then lie at the nodes of the first, if there are any. Returns
   their part of residual . z. */
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

/* direction = z + beta direction for one row, with the part of the coarser grids. Callers go through all rows in order,
   see nodes_around(). */
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
    lanes3 corrected = lanes3_scale(nodes_between(&around, column), lanes_load(share + i));
    corrected = lanes3_add(lanes3_load(z, i), corrected);
    lanes3 updated = lanes3_add(corrected, lanes3_scale(lanes3_load(direction, i), lanes_splat(beta)));
    lanes3_store(direction, i, lanes3_quantise(updated, WORK_ROUNDER), columns - column);
  }
}

#endif

/*
 * direction = z + beta direction, product = A direction, in one pass over the grid. z and product share their memory:
 * the direction is updated up to the row below the one whose product is written, as far as springs reach, so z is read
 * before the product replaces it. Returns direction . product.
 */
CLOTH_SEPARATE float update_direction_and_apply(const cloth *c, const step_plan *plan, float beta, int multilevel) {
  lanes_sum sum = {{0.0f}};
  int32_t updated = 0; /* rows whose direction is updated */
  clear_row_buffers(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (; updated < c->grid.rows && updated <= row + 1; updated++) {
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
  }
#if WITH_WRAP
  if (is_wrapped(c)) {
    operator_seam(c, plan, &sum);
  }
#endif
#if WITH_BODIES
  return lanes_sum_total(&sum) + add_attached_product(c);
#else
  return lanes_sum_total(&sum);
#endif
}

/* product = A direction. Clears the product before, so that the update of the direction, z + 1 direction with z = 0,
   leaves it as it is. Returns direction . product. */
static float apply_operator(const cloth *c, const step_plan *plan) {
  fill_vectors(c, vectors_at(c, c->scratch.product), 0.0f);
  return update_direction_and_apply(c, plan, 1.0f, 0);
}

/* Is a particle free in the solve: neither pinned, nor confined, nor held by a contact? */
static int is_unheld(const cloth *c, int32_t i) {
  const uint32_t freedom = freedom_of(c)[i] & FREEDOM_MASK;
  const int in_contact = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_NONE;
  return freedom == FREEDOM_FREE && floats_at(c, c->scratch.mobility)[i] > 0.0f && !in_contact;
}

/*
 * Corrected start y = S t y0 + (I - S) z (thesis fig. 5.2), where y0 is the last substep's solution and z the
 * prescribed changes, not the preconditioned residual. Unscaled, y0 can raise the energy of a solve that is cut short;
 * with the line search t = clamp(y0 . r / y0 . A y0, 0, 1) it cannot. y0 counts as 0 for particles that are not free.
 * Returns residual . product, as advance_and_precondition() does. `make thesis` counts the iterations it saves.
 */
CLOTH_SEPARATE float start_warm(const cloth *c, const step_plan *plan) {
  vector_array y0 = vectors_at(c, c->state.warm_start);
  vector_array p = vectors_at(c, c->scratch.direction);
  for (int32_t i = 0; i < c->count; i++) {
    vector_store(p, i, is_unheld(c, i) ? vector_load(y0, i) : vector(0.0f, 0.0f, 0.0f));
  }
  float curvature = apply_operator(c, plan);
  float slope = dot_product(c, p, vectors_at(c, c->scratch.residual));
  if (!is_usable(curvature) || !(slope > MIN_STEP * curvature)) {
    return precondition(c);
  }
  return advance_and_precondition(c, slope < curvature ? slope / curvature : 1.0f);
}

/* Costs as much as an iteration and changes neither solution nor residual, for fixed work. The step is skipped when the
   curvature is NaN or infinite, as 0 times NaN would spoil the solution. */
static void iterate_without_effect(const cloth *c, const step_plan *plan, int multilevel) {
  if (is_finite(update_direction_and_apply(c, plan, 0.0f, multilevel))) {
    advance_and_precondition(c, 0.0f);
    coarse_correction(c, multilevel);
  }
}

/* Cap on the iterations of a substep. A cloth that is sewn is solved as if it was not, and then pulled together: its
   solve starts far from rest, and one that is cut short leaves noise. */
static int32_t most_iterations(const cloth *c) {
  const int32_t least = workspace_of(c)->least_iterations, most = c->settings.solver.max_iterations;
  return most > least ? most : least;
}

/*
 * Conjugate gradient. On entry the residual holds b - A y and the solution y = (I - S) z, the prescribed changes. It
 * stops when sqrt(residual . z) has fallen to the tolerance times its value on entry; at the cap; at a deadline; or
 * when rounding errors leave no usable descent.
 *
 * Also in a solve that is cut short each iterate has lowered the quadratic 1/2 y . A y - b . y, which is 0 at y = 0.
 * That bounds the energy of the velocity change only up to a factor of the order of kappa, which is why
 * solvable_kappa() and DAMPING_LIMIT keep kappa within what the cap can resolve.
 */
static solve_result solve(const cloth *c, const step_plan *plan, int multilevel) {
  const int32_t most = most_iterations(c);
  solve_result result = {.iterations = 0, .capped = 0, .residual = 0.0f};
  float reference = precondition(c) + coarse_correction(c, multilevel);
  float delta = c->state.warm_start ? start_warm(c, plan) + coarse_correction(c, multilevel) : reference;
  float target = maximum(c->settings.solver.tolerance * c->settings.solver.tolerance * reference,
                         SOLVED_PER_PARTICLE * (float)c->count);
  float beta = 0.0f;
  int is_cut = 0; /* 1: may_refine() has refused another iteration */
  fill_vectors(c, vectors_at(c, c->scratch.direction), 0.0f);
  while (result.iterations < most && delta > target && is_usable(delta)) {
    if (result.iterations > 0 && !may_refine(c)) {
      is_cut = 1;
      break;
    }
    float curvature = update_direction_and_apply(c, plan, beta, multilevel);
    if (!is_usable(curvature) || delta < MIN_STEP * curvature) {
      break;
    }
    float next = advance_and_precondition(c, delta / curvature) + coarse_correction(c, multilevel);
    beta = next > 0.0f && is_finite(next) ? flush_small(next / delta, WORK_QUANTUM) : 0.0f;
    delta = next;
    result.iterations++;
  }
  CLOTH_ASSERT(result.iterations <= most);
  for (int32_t idle = result.iterations; c->settings.capacity.fixed_work && idle < most; idle++) {
    iterate_without_effect(c, plan, multilevel);
  }
  quantise_solution(c);
  result.capped = (is_cut || result.iterations == most) && delta > target;
  result.residual = is_usable(reference) && delta > 0.0f ? square_root(delta / reference) : 0.0f;
  if (!(reference < MAX_DIVISOR)) {
    result.residual = 1.0f; /* nothing was solved: accept_particles() recovers what is not finite */
  }
  return result;
}
