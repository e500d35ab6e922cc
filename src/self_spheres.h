#pragma once
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "self_cull.h"
#include "self_leaves.h"
#include "self_tree.h"
#include "types.h"

/// Spheres ///

#if WITH_SELF

/*
 * Candidates of a cloth whose particles touch particles (CLOTH_SELF_SPHERES): which particles of two leaves come near
 * each other, and which of those pairs are worth keeping.
 *
 * In: positions, velocities. Out: bits. Scratch: none.
 */

/* Square of the distance of two particles below which it has no direction [m^2]. */
#define SPHERE_LEAST_SQUARE 1.0e-14f

/* A leaf of which only the particles are looked at. Those that do not exist repeat the first. */
CLOTH_SEPARATE void find_points(const self_body *b, int32_t number, float ahead, self_leaf *leaf) {
  place_leaf(b, number, leaf);
  for (int32_t i = 0; i < SELF_CELLS; i++) {
    const int32_t particle = leaf->particles >> i & 1u ? leaf_particle(b, leaf, i) : leaf->first;
    const cloth_vector now = vector_load(b->start, particle), then = place_ahead(b, particle, ahead);
    leaf->range[0].point[i] = now.x;
    leaf->range[1].point[i] = now.y;
    leaf->range[2].point[i] = now.z;
    leaf->range[3].point[i] = then.x;
    leaf->range[4].point[i] = then.y;
    leaf->range[5].point[i] = then.z;
  }
}

/* Which particles of a leaf may come closer than `reach` to particle n of another along every axis, if both move
   straight, a bit each. */
CLOTH_INLINE uint32_t points_near(const self_leaf *leaf, const self_leaf *other, int32_t n, float reach) {
  uint32_t bits = 0;
  for (int32_t cell = 0; cell < SELF_CELLS; cell += CLOTH_LANES) {
    lanes gap = lanes_splat(0.0f);
    for (int32_t axis = 0; axis < 3; axis++) {
      const leaf_range *now = &leaf->range[axis], *ahead = &leaf->range[axis + 3];
      const lanes first = lanes_subtract(lanes_load(now->point + cell), lanes_splat(other->range[axis].point[n]));
      const lanes last = lanes_subtract(lanes_load(ahead->point + cell), lanes_splat(other->range[axis + 3].point[n]));
      gap = lanes_maximum(lanes_minimum(first, last), gap);
      gap = lanes_maximum(lanes_minimum(lanes_negate(first), lanes_negate(last)), gap);
    }
    bits |= lanes_bits(lanes_less(lanes_splat(reach), gap)) << cell;
  }
  return leaf->particles & ~bits;
}

/* Finds which of SELF_BATCH pairs of particles may touch, a bit each: those that come closer than along_normal if both
   move straight, and those that move against each other by more than SELF_STRAIGHT spacings, see go_straight(). */
CLOTH_HOT CLOTH_SEPARATE uint32_t find_close_spheres(const self_pairs *p) {
  const float spacing = minimum(p->a->spacing, p->b->spacing), straight = SELF_STRAIGHT * spacing;
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f), time = lanes_splat(p->time);
  uint32_t far = 0;
  for (int32_t first = 0; first < SELF_BATCH; first += CLOTH_LANES) {
    const uint16_t *particle = p->particle + first, *other = p->cell + first;
    const lanes3 now =
        lanes3_exact_difference(lanes3_pick(p->b->start, other, 0), lanes3_pick(p->a->start, particle, 0));
    const lanes3 faster =
        lanes3_subtract(lanes3_pick(p->b->velocity, other, 0), lanes3_pick(p->a->velocity, particle, 0));
    const lanes3 way = lanes3_quantise(lanes3_scale(faster, time), STATE_ROUNDER);
    const lanes square = lanes3_dot(way, way), towards = lanes_negate(lanes3_dot(way, now));
    const lanes length = lanes_maximum(square, lanes_splat(STATE_QUANTUM * STATE_QUANTUM));
    const lanes share = lanes_minimum(lanes_maximum(lanes_divide(towards, length), zero), one);
    const lanes3 nearest = lanes3_quantise(lanes3_add_scaled(now, way, share), STATE_ROUNDER);
    const lanes_mask is_far = lanes_less(lanes_splat(p->along_normal * p->along_normal), lanes3_dot(nearest, nearest));
    far |= lanes_bits(lanes_both(is_far, lanes_less(square, lanes_splat(straight * straight)))) << first;
  }
  return ~far & ((1u << SELF_BATCH) - 1u);
}

#endif
