#pragma once
#include "law.h"

/*
 * The shear condition of Baraff and Witkin ("Large Steps in Cloth Simulation", 1998): C = wu . wv on each of a cell's
 * two triangles, with wu and wv its warp and weft edges over their lengths at rest, and the energy k a / 2 C^2. The
 * area a stands outside of the square: inside, the stiffness of a sheet would fall fourfold with each halving of the
 * cells. Their stretch condition is, on a grid of right triangles, LAW_SPRING along the edges, on borders with half the
 * stiffness. Damping acts along the gradient of C; its derivatives by positions are left out.
 */

#define SHEAR_PACKED 6

CLOTH_INLINE void shear_pulls(const method_law *l, const law_elements *in, law_pulls *out) {
  const lanes inverse_u = lanes_splat(l->inverse_u), inverse_v = lanes_splat(l->inverse_v);
  const lanes3 wu = lanes3_quantise(lanes3_scale(in->d[0], inverse_u), STATE_ROUNDER);
  const lanes3 wv = lanes3_quantise(lanes3_scale(in->d[1], inverse_v), STATE_ROUNDER);
  const lanes3 g[2] = {lanes3_scale(wv, inverse_u), lanes3_scale(wu, inverse_v)};
  const lanes stiffness = lanes_multiply(in->scale, lanes_splat(l->stiffness * l->area));
  condition_pulls(l, in, stiffness, lanes3_dot(wu, wv), g, out);
}
