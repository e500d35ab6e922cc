#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "types.h"

/// Gathered springs ///

/*
 * Springs along the longer side of a seam whose sides differ in length at rest. Puckers that are narrower than a cell
 * take up what is too long there: such springs resist stretching only. Otherwise they would push the seam apart with
 * all of their stiffness, in a line out of which it cannot bulge.
 *
 * In: a byte per particle in the memory of the group that is stepped, and in the workspace its address while a step
 * runs; 0 after it, and where nothing is gathered. Out: lanes that tell which springs are gathered. Scratch: none.
 */

#define GATHERED_WARP 1u /* the spring to the next particle of the row */
#define GATHERED_WEFT 2u /* the spring to the next particle of the column */

#if WITH_SEAMS

/* Keeps the address of the bytes of a cloth. NULL ends it. */
static void set_gathers(const cloth *c, const uint8_t *gathers) {
  keep_address(workspace_of(c)->gathers, gathers);
}

CLOTH_INLINE const uint8_t *gathers_of_cloth(const cloth *c) {
  return (const uint8_t *)kept_address(workspace_of(c)->gathers);
}

CLOTH_INLINE int has_gathers(const cloth *c) {
  return (workspace_of(c)->gathers[0] | workspace_of(c)->gathers[1]) != 0;
}

/* Which springs of a direction are not gathered: those of `count` particles, from one on and `next` apart. */
CLOTH_SEPARATE lanes_mask without_gather(const cloth *c, int32_t first, int32_t next, int32_t count, int32_t d) {
  const uint8_t *bytes = gathers_of_cloth(c);
  const uint32_t bit = d == WARP ? GATHERED_WARP : d == WEFT ? GATHERED_WEFT : 0u;
  float whole[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    whole[lane] = lane < count && (bytes[first + lane * next] & bit) ? 0.0f : 1.0f;
  }
  return lanes_less(lanes_splat(0.5f), lanes_load(whole));
}

#else

#define has_gathers(c) 0

#endif
