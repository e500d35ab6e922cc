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

#if WITH_PROJECTION

/* The springs of a direction across `span` cells. A stretch spring across many is as many in a row, and compliant like
   these; it only shortens. Returns 0 if nothing is projected there. */
static int plan_constraint(const cloth *c, const step_plan *plan, int32_t d, int32_t span, distance_constraint *limit) {
  const spring_family *s = &plan->spring[d];
  float scale = 1.0f / force_share(plan);
  float taut = COMPLIANCE_INFINITE;
  float slack = COMPLIANCE_INFINITE;
  if ((s->projected == PROJECTED_ALL && span <= plan->span) || (s->projected == PROJECTED_SOME && span == 1)) {
    taut = scale * (float)span / maximum(s->stiffness, WORK_QUANTUM);
    slack = span == 1 ? taut / maximum(s->compression, WORK_QUANTUM) : COMPLIANCE_INFINITE;
  }
  if (plan->bend_projected && span == 2 && d <= WEFT) {
    slack = scale * plan->bend_compliance[d];
  }
  float rest = direction_rest(c, d) * (float)span;
  *limit = make_constraint(span, rest, rest, minimum(slack, COMPLIANCE_INFINITE), minimum(taut, COMPLIANCE_INFINITE));
  limit->fast = limit->gain_above >= limit->gain_below;
  if (s->projected == PROJECTED_SOME && span == 1) {
    limit->fast = 0;
    limit->kappa = s->kappa;
    limit->above = plan->projected_above;
  }
  return limit->gain_above > 0.0f || limit->gain_below > 0.0f;
}

CLOTH_INLINE void project_shear_block(const cloth *c, const distance_constraint *limit, vector_array x, int32_t i,
                                      int32_t j, int uniform, int32_t count) {
  lanes3 from = lanes3_load(x, i);
  lanes3 to = lanes3_load(x, j);
  if (uniform) {
    project_uniform(limit, &from, &to);
  } else {
    const float *mobility = floats_at(c, c->scratch.mobility);
    spring_ends ends = {{lanes_load(mobility + i), lanes_load(mobility + j)},
                        {mass_ratio_lanes(c, i), mass_ratio_lanes(c, j)},
                        spring_scale(c, (spring_block){i, j, 1}, CLOTH_LANES)};
    project_general(limit, &ends, &from, &to);
  }
  lanes3_store(x, i, from, count);
  lanes3_store(x, j, to, count);
}

/* The shear springs of one direction between a row and the next. */
CLOTH_INLINE void project_shear_row(const cloth *c, const distance_constraint *limit, vector_array x, int32_t row,
                                    int32_t direction) {
  int32_t start = spring_start(direction);
  int32_t shift = direction == DIAGONAL ? 1 : -1;
  int32_t i = row * c->grid.columns + start;
  int32_t j = i + c->grid.columns + shift;
  int32_t count = c->grid.columns - 1;
  uniform_run uniform = uniform_overlap(uniform_run_of_row(c, row), uniform_run_of_row(c, row + 1), shift);
  int32_t from = UNIFORM_KERNELS && limit->fast ? uniform.from - start : count;
  int32_t last = uniform.to - start < count ? uniform.to - start - CLOTH_LANES : count;
  /* From the last block to the first, as lanes beyond the last spring belong to the next row's beginning: processors
     wait with what they read there until what was stored there has come to pass. */
  for (int32_t t = (count - 1) / CLOTH_LANES * CLOTH_LANES; t >= 0; t -= CLOTH_LANES) {
    project_shear_block(c, limit, x, i + t, j + t, t >= from && t <= last, count - t);
  }
  if (is_wrapped(c)) { /* across the seam: what is left over at either end */
    project_shear_block(c, limit, x, start ? i - 1 : i + count, start ? j + count : j - 1, 0, 1);
  }
}

/* First between the rows of even number and the next, then of odd number. */
CLOTH_HOT CLOTH_SEPARATE void project_shear(const cloth *c, const distance_constraint *shear, vector_array x,
                                            int32_t direction) {
  const distance_constraint limit = *shear;
  for (int32_t colour = 0; colour < 2; colour++) {
    for (int32_t row = colour; row + 1 < c->grid.rows; row += 2) {
      project_shear_row(c, &limit, x, row, direction);
    }
  }
}

/* Work of the springs of one direction and span. A particle outside the plain pieces takes the springs on both sides
   out of them. */
static uint64_t constraint_cost(const cloth *c, const step_plan *plan, int32_t d, int32_t span, int32_t uniform) {
  distance_constraint limit;
  if (!plan_constraint(c, plan, d, span, &limit)) {
    return 0;
  }
  int32_t general = 2 * (c->count - uniform) + (d > WEFT ? 2 * c->grid.rows : 0);
  general = !limit.fast || general > c->count ? c->count : general;
  uint64_t around = d == WARP ? (uint64_t)(uint32_t)c->count * COST_RING : 0u;
  around = d > WEFT ? (uint64_t)(uint32_t)c->grid.rows * COST_SEAM_SHEAR : around;
  return (uint64_t)(uint32_t)general * COST_GENERAL + (uint64_t)(uint32_t)(c->count - general) * COST_PLAIN +
         (uint64_t)(uint32_t)(c->grid.rows + c->grid.columns) * COST_RUN + (is_wrapped(c) ? around : 0u);
}

/* Of the stretch springs of one span. */
static uint64_t span_cost(const cloth *c, const step_plan *plan, int32_t span, int32_t uniform) {
  return constraint_cost(c, plan, WARP, span, uniform) + constraint_cost(c, plan, WEFT, span, uniform);
}

/* Bend springs are two cells long. */
static int32_t last_needed_span(const step_plan *plan) {
  return plan->bend_projected ? 2 : 1;
}

static int32_t first_span(const step_plan *plan) {
  return plan->span < last_needed_span(plan) ? last_needed_span(plan) : plan->span;
}

static uint64_t projection_cost(const cloth *c, const step_plan *plan, int32_t uniform) {
  uint64_t work = (uint64_t)(uint32_t)c->settings.projection.fine_sweeps * span_cost(c, plan, 1, uniform);
  for (int32_t d = DIAGONAL; d <= ANTIDIAGONAL; d++) {
    work += constraint_cost(c, plan, d, 1, uniform);
  }
  for (int32_t span = first_span(plan); span >= 1; span /= 2) {
    work += span_cost(c, plan, span, uniform);
  }
  return work;
}

static projection_plan *projection_of(const cloth *c) {
  return (projection_plan *)at(c, c->own.constraints);
}

/* The limits of a direction. */
static distance_constraint *constraints_of(projection_plan *p, int32_t direction) {
  return (distance_constraint *)(void *)(p + 1) + p->first[direction];
}

/* All limits of a step. */
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

/* The span to start from: coarse ones may be left out. */
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

/* The stretch springs along one direction across up to so many cells. */
static void project_stretch(const cloth *c, vector_array x, int32_t direction, int32_t span) {
  projection_plan *p = projection_of(c);
  const distance_constraint *limits = constraints_of(p, direction);
  int32_t count = p->count[direction];
  for (; count > 0 && limits->span > span; count--) {
    limits++;
  }
  project_axis(c, x, direction, limits, count);
}

/*
 * All projected springs of the predicted positions: shear, then along rows and along columns through all spans, then
 * the finest of these again. What comes last is kept best; without the repetition it takes a third more substeps to the
 * same stretch in folds (measured).
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
      refund_work(
          c, span_cost(c, plan, 1, workspace_of(c)->uniform) * (uint32_t)(c->settings.projection.fine_sweeps - sweep),
          1);
      break;
    }
    project_stretch(c, x, WARP, 1);
    project_stretch(c, x, WEFT, 1);
  }
}

#endif
