#pragma once
#include "access.h"
#include "compiler.h"
#include "constraint.h"
#include "costs.h"
#include "lanes.h"
#include "lines.h"
#include "plan.h"
#include "scalar.h"
#include "springs.h"
#include "stiffness.h"
#include "types.h"
#include "uniform.h"

/// Projection ///

/*
 * Which springs of a step are projected, with which compliance, and in which order. plan_projection() makes the
 * constraints once a step; project_springs() applies them once a substep: shear, then stretch along rows and columns
 * from the coarsest span to single cells, then the single cells again. Constraints across many cells carry a pull
 * through the sheet in one sweep; that across two cells resists folding as well (the projected bend springs).
 * In: the plan (spring families, bend_compliance, span), scratch.mobility, scratch.uniform_runs, the maps.
 * Out: the predicted positions, in scratch.product; own.constraints.
 * Scratch: lines.h transposes rows into scratch.residual.
 */

#if WITH_PROJECTION

/* Sets the constraint of a direction's springs across `span` cells. A stretch spring across many cells is that many
   springs in a row, with the sum of their compliances; it only shortens. Returns 0 if nothing is projected there. */
static int plan_constraint(const cloth *c, const step_plan *plan, int32_t d, int32_t span,
                           distance_constraint *constraint) {
  const spring_family *s = &plan->spring[d];
  float scale = 1.0f / force_share(plan); /* the BDF2 prediction brings the rest of a force in later substeps */
  float compliance_above = COMPLIANCE_INFINITE;
  float compliance_below = COMPLIANCE_INFINITE;
  if ((s->projected == PROJECTED_ALL && span <= plan->span) || (s->projected == PROJECTED_SOME && span == 1)) {
    compliance_above = scale * (float)span / maximum(s->stiffness, WORK_QUANTUM);
    compliance_below = span == 1 ? compliance_above / maximum(s->compression, WORK_QUANTUM) : COMPLIANCE_INFINITE;
  }
  if (plan->bend_projected && span == 2 && d <= WEFT) {
    compliance_below = scale * plan->bend_compliance[d];
  }
  float rest = direction_rest(c, d) * (float)span;
  *constraint = make_constraint(span, rest, rest, minimum(compliance_below, COMPLIANCE_INFINITE),
                                minimum(compliance_above, COMPLIANCE_INFINITE));
  constraint->fast = constraint->gain_above >= constraint->gain_below;
  if (s->projected == PROJECTED_SOME && span == 1) {
    constraint->fast = 0;
    constraint->kappa = s->kappa;
    constraint->above = plan->projected_above;
  }
  return constraint->gain_above > 0.0f || constraint->gain_below > 0.0f;
}

/* Projects the first `count` shear springs of a block, from particles i on to particles j on. */
CLOTH_INLINE void project_shear_block(const cloth *c, const distance_constraint *constraint, vector_array x, int32_t i,
                                      int32_t j, int uniform, int32_t count) {
  lanes3 from = lanes3_load(x, i);
  lanes3 to = lanes3_load(x, j);
  if (uniform) {
    project_uniform(constraint, &from, &to);
  } else {
    const float *mobility = floats_at(c, c->scratch.mobility);
    spring_ends ends = {{lanes_load(mobility + i), lanes_load(mobility + j)},
                        {mass_ratio_lanes(c, i), mass_ratio_lanes(c, j)},
                        spring_scale(c, (spring_block){i, j, 1}, CLOTH_LANES)};
    project_general(constraint, &ends, &from, &to);
  }
  lanes3_store(x, i, from, count);
  lanes3_store(x, j, to, count);
}

/* Projects the shear springs of one direction between a row and the next. */
CLOTH_INLINE void project_shear_row(const cloth *c, const distance_constraint *constraint, vector_array x, int32_t row,
                                    int32_t direction) {
  int32_t start = spring_start(direction);
  int32_t shift = direction == DIAGONAL ? 1 : -1;
  int32_t i = row * c->grid.columns + start;
  int32_t j = i + c->grid.columns + shift;
  int32_t count = c->grid.columns - 1;
  uniform_run uniform = uniform_overlap(uniform_run_of_row(c, row), uniform_run_of_row(c, row + 1), shift);
  int32_t from = UNIFORM_KERNELS && constraint->fast ? uniform.from - start : count;
  int32_t last = uniform.to - start < count ? uniform.to - start - CLOTH_LANES : count;
  /* From the last block to the first: the lanes past the last spring overlap the start of the next row, and a forward
     pass would load there what it has just stored (a stall of store-to-load forwarding). */
  for (int32_t t = (count - 1) / CLOTH_LANES * CLOTH_LANES; t >= 0; t -= CLOTH_LANES) {
    project_shear_block(c, constraint, x, i + t, j + t, t >= from && t <= last, count - t);
  }
  if (is_wrapped(c)) { /* across the seam: between the two particles that no spring of the loop has touched */
    project_shear_block(c, constraint, x, start ? i - 1 : i + count, start ? j + count : j - 1, 0, 1);
  }
}

/* Projects the shear springs of one direction, first those that begin in rows of even number, then those that begin in
   rows of odd number. */
CLOTH_HOT CLOTH_SEPARATE void project_shear(const cloth *c, const distance_constraint *shear, vector_array x,
                                            int32_t direction) {
  const distance_constraint constraint = *shear;
  for (int32_t colour = 0; colour < 2; colour++) {
    for (int32_t row = colour; row + 1 < c->grid.rows; row += 2) {
      project_shear_row(c, &constraint, x, row, direction);
    }
  }
}

/* Cost of the springs of one direction and span, of a sheet of which `uniform` particles lie in uniform runs. A
   particle outside the runs takes the springs on both of its sides out of the uniform kernel. */
static uint64_t constraint_cost(const cloth *c, const step_plan *plan, int32_t d, int32_t span, int32_t uniform) {
  distance_constraint constraint;
  if (!plan_constraint(c, plan, d, span, &constraint)) {
    return 0;
  }
  int32_t general = 2 * (c->count - uniform) + (d > WEFT ? 2 * c->grid.rows : 0);
  general = !constraint.fast || general > c->count ? c->count : general;
  uint64_t around = d == WARP ? (uint64_t)(uint32_t)c->count * COST_RING : 0u;
  around = d > WEFT ? (uint64_t)(uint32_t)c->grid.rows * COST_SEAM_SHEAR : around;
  return (uint64_t)(uint32_t)general * COST_GENERAL + (uint64_t)(uint32_t)(c->count - general) * COST_UNIFORM +
         (uint64_t)(uint32_t)(c->grid.rows + c->grid.columns) * COST_RUN + (is_wrapped(c) ? around : 0u);
}

/* Cost of the stretch springs of one span, along both axes. */
static uint64_t span_cost(const cloth *c, const step_plan *plan, int32_t span, int32_t uniform) {
  return constraint_cost(c, plan, WARP, span, uniform) + constraint_cost(c, plan, WEFT, span, uniform);
}

/* The smallest span that no deadline may leave out: bend springs are two cells long. */
static int32_t last_needed_span(const step_plan *plan) {
  return plan->bend_projected ? 2 : 1;
}

static int32_t first_span(const step_plan *plan) {
  return plan->span < last_needed_span(plan) ? last_needed_span(plan) : plan->span;
}

/* Cost of project_springs() with all its optional parts. */
static uint64_t projection_cost(const cloth *c, const step_plan *plan, int32_t uniform) {
  uint64_t cost = (uint64_t)(uint32_t)c->settings.projection.fine_sweeps * span_cost(c, plan, 1, uniform);
  for (int32_t d = DIAGONAL; d <= ANTIDIAGONAL; d++) {
    cost += constraint_cost(c, plan, d, 1, uniform);
  }
  for (int32_t span = first_span(plan); span >= 1; span /= 2) {
    cost += span_cost(c, plan, span, uniform);
  }
  return cost;
}

static projection_plan *projection_of(const cloth *c) {
  return (projection_plan *)at(c, c->own.constraints);
}

/* The constraints of a direction, from the coarsest span to the finest. They follow the projection_plan in memory. */
static distance_constraint *constraints_of(projection_plan *p, int32_t direction) {
  return (distance_constraint *)(void *)(p + 1) + p->first[direction];
}

/* Makes all constraints of a step, in own.constraints. */
CLOTH_SEPARATE void plan_projection(const cloth *c, const step_plan *plan) {
  projection_plan *p = projection_of(c);
  int32_t total = 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    p->first[d] = total;
    p->count[d] = 0;
    for (int32_t span = d <= WEFT ? first_span(plan) : 1; span >= 1; span /= 2) {
      p->count[d] += plan_constraint(c, plan, d, span, &constraints_of(p, d)[p->count[d]]);
    }
    total += p->count[d];
  }
}

/* The span to start from. A step with a deadline may leave out the coarse ones; their cost is refunded. */
static int32_t refined_span(const cloth *c, const step_plan *plan) {
  int32_t span = first_span(plan);
  int32_t last = last_needed_span(plan);
  if (span == last || may_refine(c)) {
    return span;
  }
  for (; span > last; span /= 2) {
    refund_work(c, span_cost(c, plan, span, workspace_of(c)->uniform), 1);
  }
  return last;
}

/* Projects the stretch springs along one axis, from `span` cells down. */
static void project_stretch(const cloth *c, vector_array x, int32_t direction, int32_t span) {
  projection_plan *p = projection_of(c);
  const distance_constraint *constraints = constraints_of(p, direction);
  int32_t count = p->count[direction];
  for (; count > 0 && constraints->span > span; count--) {
    constraints++;
  }
  project_axis(c, x, direction, constraints, count);
}

/*
 * Projects all projected springs of the predicted positions: shear, then the rows and then the columns through all
 * spans, then the finest span again, fine_sweeps times. What is projected last is satisfied best. Without the first
 * fine sweep a draped sheet needs 1.5 to 1.9 times the substeps for the same stretch (99th percentile of SCENE_DRAPE in
 * `make quality` with fine_sweeps 0 and 1, sides of 16 to 64, 12 to 37 substeps).
 */
CLOTH_SEPARATE void project_springs(const cloth *c, const step_plan *plan) {
  projection_plan *p = projection_of(c);
  vector_array x = predicted_of(c);
  int32_t span = refined_span(c, plan);
  for (int32_t d = DIAGONAL; d <= ANTIDIAGONAL; d++) {
    if (p->count[d] > 0) {
      project_shear(c, constraints_of(p, d), x, d);
    }
  }
  project_stretch(c, x, WARP, span);
  project_stretch(c, x, WEFT, span);
  for (int32_t sweep = 0; sweep < c->settings.projection.fine_sweeps; sweep++) {
    if (!may_refine(c)) {
      uint64_t sweep_cost = span_cost(c, plan, 1, workspace_of(c)->uniform);
      refund_work(c, sweep_cost * (uint32_t)(c->settings.projection.fine_sweeps - sweep), 1);
      break;
    }
    project_stretch(c, x, WARP, 1);
    project_stretch(c, x, WEFT, 1);
  }
}

#endif
