#pragma once
#include "access.h"
#include "gaps.h"

/// Rest lengths of pre-shaped pieces ///

/* What tells the springs, hinges and cells of a pre-shaped piece from those of a rectangle: a factor for each. Such a
   grid counts as one with gaps. Springs are found by the particle at which they start, an antidiagonal by the one after
   it. */

/* Arrays of factors: rest length of each direction; stiffness of springs, then hinges, along both; of the twist. */
enum {
  REST_LENGTH,
  REST_STIFFNESS = DIRECTIONS,
  REST_HINGE = REST_STIFFNESS + 2,
  REST_TWIST = REST_HINGE + 2,
  REST_ARRAYS
};

/* Bounds over the whole piece, before the arrays. */
typedef struct rest_bounds {
  float least;    /* least factor on a rest length along warp or weft */
  float reach[2]; /* factors on the squared spacings along warp and weft by which tethers reach far enough */
} rest_bounds;

CLOTH_INLINE int has_rest_shape(const cloth *c) {
  return WITH_REST_SHAPE && c->gaps && (gap_summary_of(c)->kind & GAPS_SHAPED) != 0;
}

/* They follow the bytes of the mask. Only where has_rest_shape(). */
static rest_bounds *rest_bounds_of(const cloth *c) {
  return (rest_bounds *)at(c, c->gaps + (uint32_t)sizeof(gap_summary) + (uint32_t)whole_words(c->count));
}

static float *rest_array(const cloth *c, int32_t number) {
  return (float *)(void *)(rest_bounds_of(c) + 1) + number * (c->count + LANE_PAD);
}

/* The factor of an array for a spring, hinge or cell; 1 unless the piece is shaped. */
CLOTH_INLINE float shape_factor(const cloth *c, int32_t number, int32_t particle) {
  return has_rest_shape(c) ? rest_array(c, number)[particle] : 1.0f;
}

/* Mean factor on the rest lengths of the springs of a line along warp or weft between two particles. */
static float mean_rest_ratio(const cloth *c, int32_t a, int32_t b) {
  const int32_t columns = c->grid.columns, d = a / columns == b / columns ? WARP : WEFT, first = a < b ? a : b;
  const int32_t last = a < b ? b : a, next = d == WARP ? 1 : columns, apart = (last - first) / next;
  const int is_around = d == WARP && is_wrapped(c) && 2 * apart > columns;
  const int32_t springs = is_around ? columns - apart : apart, row = first - first % columns;
  float sum = 0.0f;
  for (int32_t n = 0; n < springs; n++) {
    const int32_t i = (is_around ? last : first) + n * next;
    sum += shape_factor(c, REST_LENGTH + d, is_around && i >= row + columns ? i - columns : i);
  }
  return springs > 0 ? sum / (float)springs : 1.0f;
}

/* The least factor on a rest length along warp and weft. */
CLOTH_INLINE float least_rest_ratio(const cloth *c) {
  return has_rest_shape(c) ? rest_bounds_of(c)->least : 1.0f;
}
