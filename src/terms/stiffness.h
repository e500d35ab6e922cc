#pragma once
#include "../cloth/access.h"

/// Stiffness of the springs ///

/* What follows from fabric and grid alone: stiffness [N/m], damping [N s/m], rest length [m], length of tethers. */

/* Weight per mass by which a grid's least bending length is defined [m/s^2]; a cloth's gravity does not change it. */
#define STANDARD_GRAVITY 9.81f
/* Automatic substeps keep the fastest particle from moving further than this share of the smaller spacing in each. */
#define SUBSTEP_TRAVEL 0.5f

/* Stiffness of a spring [N/m]; of stretch the fabric's times width over length of the strip that it stands for. */
static float direction_stiffness(const cloth *c, int32_t direction) {
  const cloth_fabric *f = &inputs_of(c)->fabric;
  if (direction == WARP) { return f->stretch_warp * (c->grid.spacing_weft / c->grid.spacing_warp); }
  if (direction == WEFT) { return f->stretch_weft * (c->grid.spacing_warp / c->grid.spacing_weft); }
  return f->shear;
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

/* Rigidity of the hinges with which the cloth bends with B', and the ratio of B' to the fabric's rigidity. */
static float bend_rigidity(const cloth *c, float *ratio) {
  const float area = c->grid.spacing_warp * c->grid.spacing_weft;
  const float cells = c->settings.integration.min_bending_length;
  const float length = flush_small(cells * square_root(area), STATE_QUANTUM);
  const float weight = inputs_of(c)->fabric.density * STANDARD_GRAVITY;
  const float bend = inputs_of(c)->fabric.bend;
  const float least = flush_work(length * length * (length * weight));
  const float rigidity = bend + least;
  *ratio = bend > 0.0f ? rigidity / bend : 0.0f;
  return rigidity;
}
