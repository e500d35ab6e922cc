#pragma once
#include "conditions.h"
#include "hinge.h"
#include "law.h"
#include "plane.h"
#include "quadratic.h"
#include "spring.h"
#include "trispring.h"

/* Pulls and packed tangents of a block of elements. */
CLOTH_INLINE void law_pull(const method_law *l, const law_elements *in, law_pulls *out) {
  switch (l->kind) {
  case LAW_SPRING:
    spring_pulls(l, in, out);
    break;
  case LAW_BUCKLING:
    buckling_pulls(l, in, out);
    break;
  case LAW_LINEAR:
    linear_pulls(l, in, out);
    break;
  case LAW_SHEAR:
    shear_pulls(l, in, out);
    break;
  case LAW_TRISPRING:
    trispring_pulls(l, in, out);
    break;
  case LAW_PLANE:
    plane_pulls(l, in, out);
    break;
  default:
    hinge_pulls(l, in, out);
  }
  for (int32_t n = 0; n < l->edges; n++) {
    out->along[n] = lanes3_quantise(out->along[n], WORK_ROUNDER);
  }
}

/* Pulls that velocity changes e of the edges bring, by the packed tangent. */
CLOTH_INLINE void law_tangent(const method_law *l, const lanes *packed, const lanes3 *e, lanes3 *pulls) {
  switch (l->kind) {
  case LAW_SPRING:
  case LAW_BUCKLING:
    spring_tangent(packed, e, pulls);
    break;
  case LAW_LINEAR:
    linear_tangent(l, packed, e, pulls);
    break;
  case LAW_TRISPRING:
    trispring_tangent(l, packed, e, pulls);
    break;
  case LAW_PLANE:
    plane_tangent(l, packed, e, pulls);
    break;
  default:
    rank_one_tangent(l->edges, packed, e, pulls);
  }
}
