#pragma once
#include "access.h"
#include "compiler.h"
#include "gaps.h"
#include "scalar.h"
#include "types.h"

/// Stiffness of the springs ///

/*
 * Coefficients of the springs that follow from fabric and grid alone, before a step is planned: stiffness [N/m],
 * damping [N s/m] and rest length [m] of a direction, the length of tethers, and the bounds on kappa by which plan.h
 * decides how springs are integrated. kappa = (h/m) (h ks + 2 kd) (thesis eq. 4.8), with h the substep [s].
 *
 * In: inputs.fabric, inputs.gravity, c->grid, c->settings. Out: return values. Scratch: none.
 */

/* Largest kappa of a family that is forced to be explicit. Two families at the limit stay below the two-dimensional
   stability bound kappa_stretch + kappa_shear < 1 (thesis section 4.1.3); the margin is for what linear analysis leaves
   out. Larger values let CLOTH_INTEGRATION_EXPLICIT diverge. tests/thesis.c, which looks for the bound itself, defines
   its own. */
#ifndef EXPLICIT_LIMIT
#define EXPLICIT_LIMIT 0.4f
#endif
/* Weight per mass by which a grid's least bending length is defined [m/s^2]; a cloth's gravity does not change it. */
#define STANDARD_GRAVITY 9.81f
/* Least compliance of projected springs: what keeps their elimination stable in floats. A spring of compliance 1e-5
   keeps 5e-6 of a strain that a substep brings. */
#define MIN_COMPLIANCE 1.0e-5f
/* Springs of a greater compliance move particles by less than the rounding of positions: they count as absent, and have
   the compliance after it. Much greater ones would make inverse pivots subnormal. */
#define MAX_COMPLIANCE 1.6777216e7f
#define COMPLIANCE_ABSENT 3.3554432e7f
/* Largest kappa of any spring: stiffness is clamped there. A float cannot tell a stiffer spring from a rigid one, and
   larger values would only lose more digits of the linear system. */
#define KAPPA_LIMIT 1.0e6f
/* Largest damping coefficient h kd / m0. It leaves 1 / (1 + 2 * 8), a seventeenth, of the relative speed of two free
   particles; more would only worsen the condition of a solve that may be cut short. */
#define DAMPING_LIMIT 8.0f
/* Automatic substeps of a cloth that solves keep kappa below this: up to about 50 the conjugate gradient converges in a
   few iterations, whose number grows with the root of kappa. */
#define SUBSTEP_KAPPA 50.0f
/* The same for a cloth whose springs are all explicit, if its threshold is 0: half of EXPLICIT_LIMIT. */
#define SUBSTEP_KAPPA_EXPLICIT 0.2f
/* Minimum of automatic substeps where stiff springs are projected; kappa requires no more there. */
#define SUBSTEPS_PROJECTED 4.0f
/* Automatic substeps keep the fastest particle from moving further than this share of the smaller spacing in each. */
#define SUBSTEP_TRAVEL 0.5f

/* Stiffness of a stretch spring [N/m]: the fabric's stiffness times width over length of the strip it stands for. */
static float axis_stretch(const cloth *c, int32_t direction) {
  const cloth_fabric *f = &inputs_of(c)->fabric;
  if (direction == WARP) {
    return f->stretch_warp * (c->grid.spacing_weft / c->grid.spacing_warp);
  }
  return f->stretch_weft * (c->grid.spacing_warp / c->grid.spacing_weft);
}

static float direction_stiffness(const cloth *c, int32_t direction) {
  return direction <= WEFT ? axis_stretch(c, direction) : inputs_of(c)->fabric.shear;
}

static float direction_damping(const cloth *c, int32_t direction) {
  const cloth_fabric *f = &inputs_of(c)->fabric;
  return direction <= WEFT ? f->stretch_damping : f->shear_damping;
}

/* Rest length of springs one cell long [m]. */
static float direction_rest(const cloth *c, int32_t direction) {
  const float rests[DIRECTIONS] = {c->grid.spacing_warp, c->grid.spacing_weft, c->grid.diagonal, c->grid.antidiagonal};
  return rests[direction];
}

/* Largest kappa of any single spring over that of its family, from the extremes of the maps of mass and stiffness. */
static float max_kappa_factor(const cloth *c) {
  return c->settings.factors.max_stiffness / c->settings.factors.min_mass_ratio;
}

/* What lets tethers out, see tether_scale(). A sheet held at its edge strains by weight * length / stiffness at the
   edge; one held at its corners by about 11 times as much at the corners, and its hem sinks as far as this lets it. */
#define TETHER_SLACK 6.0f
/* The same for what a sheet held by its side shears: the distance to the side grows with the square of the angle. */
#define TETHER_SHEAR_SLACK 0.3f
/* Least stiffness [N/m] that both are divided by, and the most that it lets tethers out: softer fabrics have tethers
   that never pull. */
#define MIN_TETHER_STIFFNESS 1.0e-3f
#define MAX_TETHER_SLACK 1.0e3f

#if WITH_TEARING

#endif

/* Rigidity of the hinges that let the cloth bend with B', and the ratio of B' to the fabric's rigidity, see
   cloth_config_grid. */
static float bend_rigidity(const cloth *c, float *ratio) {
  const float area = c->grid.spacing_warp * c->grid.spacing_weft;
  const float cells = c->settings.integration.min_bending_length;
  const float length = flush_small(cells * square_root(area), STATE_QUANTUM);
  const float weight = inputs_of(c)->fabric.density * STANDARD_GRAVITY;
  const float bend = inputs_of(c)->fabric.bend;
  const float least = flush_small(length * length * (length * weight), WORK_QUANTUM);
  const float rigidity = bend + least;
  *ratio = bend > 0.0f ? rigidity / bend : 0.0f;
  return rigidity;
}
