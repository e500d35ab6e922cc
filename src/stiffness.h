#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"

/// Stiffness of the springs ///

/*
 * Coefficients of the springs that follow from fabric and grid alone, before a step is planned: stiffness [N/m],
 * damping [N s/m] and rest length [m] of a direction, Choi and Ko's buckling curve (Choi and Ko 2002) with the
 * constants of bend springs, the fold stiffness, and the bounds on kappa by which plan.h decides how springs are
 * integrated. kappa = (h/m) (h ks + 2 kd) (thesis eq. 4.8), with h the substep [s].
 *
 * In: inputs.fabric, c->grid, c->settings.factors, c->settings.projection. Out: return values. Scratch: none.
 */

/* Largest kappa of a family that is forced to be explicit. Two families at the limit stay below the two-dimensional
   stability bound kappa_stretch + kappa_shear < 1 (thesis section 4.1.3); the margin is for what linear analysis leaves
   out. Larger values let CLOTH_INTEGRATION_EXPLICIT diverge. tests/thesis.c, which looks for the bound itself, defines
   its own. */
#ifndef EXPLICIT_LIMIT
#define EXPLICIT_LIMIT 0.4f
#endif
/* Largest h^2/m0 times linear slope of a bend spring that is integrated explicitly. tests/stability.c still passes with
   0.2; with 0.8 sheets gain energy without bound. */
#define BEND_EXPLICIT_LIMIT 0.05f
/* Largest share of its rest length by which a bend spring's push moves a particle in a substep. The Jacobian across a
   bend spring is dropped, see bend_force(): where the spring turns sideways its push is explicit even if the spring is
   solved for, and without this bound a stiff one is unstable. */
#define BEND_TRAVEL 0.25f
/* Largest kappa of any spring: stiffness is clamped there. A float cannot tell a stiffer spring from a rigid one, and
   larger values would only lose more digits of the linear system. */
#define KAPPA_LIMIT 1.0e6f
/* Largest damping coefficient h kd / m0. It leaves 1 / (1 + 2 * 8), a seventeenth, of the relative speed of two free
   particles; more would only worsen the condition of a solve that may be cut short. */
#define DAMPING_LIMIT 8.0f
/* Automatic substeps of a cloth that solves keep kappa below this: up to about 50 the conjugate gradient converges in a
   few iterations, whose number grows with the root of kappa. */
#define SUBSTEP_KAPPA 50.0f
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

/* Smallest kappa of any single spring over that of its family. */
static float min_kappa_factor(const cloth *c) {
  return c->settings.factors.min_stiffness / c->settings.factors.max_mass_ratio;
}

/* Choi and Ko's quartic p(s) for the force of a buckled spring of length s times its rest length, 0 < s < 1. It fits
   z^2 / (cos z - sinc z), sinc z = s, within 1.7 % (rows CK of `make accuracy`). */
CLOTH_INLINE lanes bend_curve(lanes s) {
  lanes p = lanes_add(lanes_multiply(lanes_splat(-11.541f), s), lanes_splat(34.193f));
  p = lanes_add(lanes_multiply(p, s), lanes_splat(-39.083f));
  p = lanes_add(lanes_multiply(p, s), lanes_splat(23.116f));
  return lanes_add(lanes_multiply(p, s), lanes_splat(-9.713f));
}

/* p'(s). */
CLOTH_INLINE lanes bend_curve_slope(lanes s) {
  lanes p = lanes_add(lanes_multiply(lanes_splat(-46.164f), s), lanes_splat(102.579f));
  p = lanes_add(lanes_multiply(p, s), lanes_splat(-78.166f));
  return lanes_add(lanes_multiply(p, s), lanes_splat(23.116f));
}

/* The constant of the bend force f = (constant / L^2) p(s) [N m^2]: four times the flexural rigidity EI of a spring.
   A sheet of rigidity B [N m] in every direction results from EI = 4/9 B w on the axes, w being the spacing across the
   spring, and from 1/sqrt(2) of that on the diagonals, w being the geometric mean of both spacings. */
#define BEND_AXIS_CONSTANT (4.0f * 4.0f / 9.0f)
#define BEND_DIAGONAL_CONSTANT (4.0f * 4.0f / 9.0f * 0.70710678f)

static float bend_constant(const cloth *c, int32_t direction) {
  float width = c->grid.spacing_weft;
  float share = BEND_AXIS_CONSTANT;
  if (direction == WEFT) {
    width = c->grid.spacing_warp;
  } else if (direction != WARP) {
    width = square_root(c->grid.spacing_warp * c->grid.spacing_weft);
    share = BEND_DIAGONAL_CONSTANT;
  }
  return share * inputs_of(c)->fabric.bend * width;
}

/* Slope c_b of a bend spring's linear part [N/m]: the line c_b (l - L) meets the curve at s = 1 - bend_transition. */
static float bend_linear_slope(const cloth *c, int32_t direction, float rest) {
  float transition = inputs_of(c)->fabric.bend_transition;
  float p = lanes_first_value(bend_curve(lanes_splat(1.0f - transition)));
  return negate(p) * bend_constant(c, direction) / (rest * rest) / (rest * transition);
}

/* Largest fold stiffness as a share of the stretch stiffness: with more, folds of a soft fabric are held flat. */
#define FOLD_SHARE 0.2f

static float axis_fold_stiffness(const cloth *c, int32_t direction) {
  float shape = c->grid.spacing_weft / c->grid.spacing_warp;
  float stiffness = c->settings.projection.fold_stiffness * (direction == WARP ? shape : 1.0f / shape);
  return minimum(stiffness, FOLD_SHARE * axis_stretch(c, direction));
}

/* Fold stiffness of a direction [N/m], the minimum slope of its bend springs. A diagonal has a quarter of the mean of
   both axes, the ratio of diagonal to axis that bending has in an isotropic sheet. */
static float fold_stiffness(const cloth *c, int32_t direction) {
  if (direction <= WEFT) {
    return axis_fold_stiffness(c, direction);
  }
  return 0.125f * (axis_fold_stiffness(c, WARP) + axis_fold_stiffness(c, WEFT));
}
