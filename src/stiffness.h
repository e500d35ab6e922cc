#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"

/// Stiffness of the springs ///

/* A forced explicit family is stable up to this kappa: two families at the limit stay below the two-dimensional bound
   kappa_stretch + kappa_shear < 1 with a margin for what linear analysis leaves out. Only the experiments that look for
   the bound itself define it differently. */
#ifndef EXPLICIT_LIMIT
#define EXPLICIT_LIMIT 0.4f
#endif
/* A bend spring is explicit while its linear slope times k^2 / m stays below this (measured safe). */
#define BEND_EXPLICIT_LIMIT 0.05f
/* A push along a spring that turns sideways is explicit there, whatever its Jacobian along the spring: it may move a
   particle by no more than this share of the spring's length in a substep. */
#define BEND_TRAVEL 0.25f
/* Beyond this kappa a float cannot tell a stiffer spring from a rigid one; stiffness is cut off here. */
#define KAPPA_LIMIT 1.0e6f
/* Damping beyond this, as k kd / m, is cut off: it already leaves less than a twentieth of the speed along a spring,
   and more only spoils the condition of a solve that may be cut short. */
#define DAMPING_LIMIT 8.0f
/* Automatic substeps: as many as keep kappa below this ... */
#define SUBSTEP_KAPPA 50.0f
/* ... but no fewer than this, and for no kappa more, where stiff springs are projected, ... */
#define SUBSTEPS_PROJECTED 4.0f
/* ... and the fastest particle from moving further than this share of the spacing. */
#define SUBSTEP_TRAVEL 0.5f

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

/* Rest length of the springs of a direction that span one cell. */
static float direction_rest(const cloth *c, int32_t direction) {
  const float rests[DIRECTIONS] = {c->grid.spacing_warp, c->grid.spacing_weft, c->grid.diagonal, c->grid.antidiagonal};
  return rests[direction];
}

/* By how much maps can raise or lower kappa above that of an average spring. */
static float max_kappa_factor(const cloth *c) {
  return c->settings.factors.max_stiffness / c->settings.factors.min_mass_ratio;
}

static float min_kappa_factor(const cloth *c) {
  return c->settings.factors.min_stiffness / c->settings.factors.max_mass_ratio;
}

/* p(s), Choi and Ko's quartic for the force of a buckled spring, and its derivative. */
CLOTH_INLINE lanes bend_curve(lanes s) {
  lanes p = lanes_add(lanes_multiply(lanes_splat(-11.541f), s), lanes_splat(34.193f));
  p = lanes_add(lanes_multiply(p, s), lanes_splat(-39.083f));
  p = lanes_add(lanes_multiply(p, s), lanes_splat(23.116f));
  return lanes_add(lanes_multiply(p, s), lanes_splat(-9.713f));
}

CLOTH_INLINE lanes bend_curve_slope(lanes s) {
  lanes p = lanes_add(lanes_multiply(lanes_splat(-46.164f), s), lanes_splat(102.579f));
  p = lanes_add(lanes_multiply(p, s), lanes_splat(-78.166f));
  return lanes_add(lanes_multiply(p, s), lanes_splat(23.116f));
}

/* c of f = (c / L^2) p(s): four times the spring's flexural rigidity k. Eight links of k = (4/9) B h on the axes and
   k / sqrt(2) on the diagonals make a sheet of rigidity B in every direction. */
static float bend_constant(const cloth *c, int32_t direction) {
  float width = c->grid.spacing_weft;
  float share = 4.0f * 4.0f / 9.0f;
  if (direction == WEFT) {
    width = c->grid.spacing_warp;
  } else if (direction != WARP) {
    width = square_root(c->grid.spacing_warp * c->grid.spacing_weft);
    share = 4.0f * 4.0f / 9.0f * 0.70710678f;
  }
  return share * inputs_of(c)->fabric.bend * width;
}

/* The slope c_b at which the linear part meets the curve at s = 1 - transition. */
static float bend_linear_slope(const cloth *c, int32_t direction, float rest) {
  float transition = inputs_of(c)->fabric.bend_transition;
  float p = lanes_first_value(bend_curve(lanes_splat(1.0f - transition)));
  return (0.0f - p) * bend_constant(c, direction) / (rest * rest) / (rest * transition);
}

/* The fold stiffness of a direction [N/m]: at most this share of the stretch stiffness, or a soft fabric would be held
   flat by it. A diagonal has a quarter, as bending in an isotropic sheet has. */
#define FOLD_SHARE 0.2f

static float axis_fold_stiffness(const cloth *c, int32_t direction) {
  float shape = c->grid.spacing_weft / c->grid.spacing_warp;
  float stiffness = c->settings.projection.fold_stiffness * (direction == WARP ? shape : 1.0f / shape);
  return minimum(stiffness, FOLD_SHARE * axis_stretch(c, direction));
}

static float fold_stiffness(const cloth *c, int32_t direction) {
  if (direction <= WEFT) {
    return axis_fold_stiffness(c, direction);
  }
  return 0.125f * (axis_fold_stiffness(c, WARP) + axis_fold_stiffness(c, WEFT));
}
