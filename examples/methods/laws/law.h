#pragma once

/// Laws ///

/*
 * What all laws share. A law gives the forces of an element, a few particles, by the vectors d[n] from the element's
 * first particle to its others, and by their rates v[n]. It returns pulls: pull n is what the first particle gains and
 * particle n loses. So momentum is conserved whatever a law computes, and no law knows where its particles lie.
 *
 * Pulls are velocity changes [m/s] in a time tau, times the mass ratio: tau / m0 times the force. The tangent is that
 * of pulls by the velocity changes of the particles, positive semidefinite, in the form that each law packs for itself.
 */

#define LAW_EDGES 4  /* most edges of an element */
#define LAW_PACKED 9 /* most floats of a packed tangent */

typedef enum law_kind {
  LAW_SPRING,    /* spring.h */
  LAW_BUCKLING,  /* spring.h */
  LAW_LINEAR,    /* quadratic.h */
  LAW_SHEAR,     /* conditions.h */
  LAW_TRISPRING, /* trispring.h */
  LAW_PLANE,     /* plane.h */
  LAW_HINGE      /* hinge.h */
} law_kind;

/* A law with its coefficients, for elements that are all alike. */
typedef struct method_law {
  int32_t kind;        /* a law_kind */
  int32_t edges;       /* of an element */
  int32_t packed;      /* floats of a packed tangent */
  int32_t unprojected; /* LAW_SPRING: 1 for damping of the whole relative velocity */
  float stiffness;     /* over the reference mass: [1/s^2], or with the unit that the law says */
  float second;        /* LAW_TRISPRING: mu over the reference mass; LAW_BUCKLING: see there */
  float damping;       /* over the reference mass [1/s]; of laws other than springs: over their stiffness, a time [s] */
  float compression;   /* share of stiffness and damping of a spring shorter than its rest length */
  float rest;          /* rest length of a spring [m] */
  float inverse_u, inverse_v; /* of conditions and trisprings: inverse lengths of warp and weft edges at rest [1/m] */
  float area;                 /* of their triangle at rest [m^2] */
  float coefficient[3];       /* LAW_LINEAR: of the edges; LAW_PLANE: of those along warp and weft */
  float tau;                  /* the time of the pulls [s] */
} method_law;

/* A block of elements, one in each lane. */
typedef struct law_elements {
  lanes3 d[LAW_EDGES], v[LAW_EDGES];
  lanes scale; /* factor of each element; 0 for lanes without one */
} law_elements;

/* What a law gives for them. */
typedef struct law_pulls {
  lanes3 along[LAW_EDGES];
  lanes packed[LAW_PACKED]; /* the tangent */
} law_pulls;

/* Length of an edge [m] and its inverse. */
typedef struct method_length {
  lanes length, inverse;
} method_length;

/* Squared length [m^2] that shorter edges count as having, of 1 um: coincident particles would divide by 0. */
#define LAW_MIN_SQUARED_LENGTH 1.0e-12f

CLOTH_INLINE method_length method_length_of(lanes3 d) {
  method_length l;
  l.length = lanes_square_root(lanes_maximum(lanes3_dot(d, d), lanes_splat(LAW_MIN_SQUARED_LENGTH)));
  l.inverse = lanes_divide(lanes_splat(1.0f), l.length);
  return l;
}

/* Stores one vector of a packed tangent. Rounded to multiples of 2^-30, so that products with differences that are
   multiples of 2^-40 are no subnormal numbers. */
CLOTH_INLINE void pack_vector(law_pulls *out, int32_t first, lanes3 a) {
  const lanes3 rounded = lanes3_quantise(a, STATE_ROUNDER);
  out->packed[first] = rounded.x;
  out->packed[first + 1] = rounded.y;
  out->packed[first + 2] = rounded.z;
}

CLOTH_INLINE lanes3 packed_vector(const lanes *packed, int32_t first) {
  return lanes3_of(packed[first], packed[first + 1], packed[first + 2]);
}

/* Pull n = g[n] times the sum over the edges of g[m] . e[m]: the tangent of every energy k / 2 C^2 without the
   curvature of C (Gauss and Newton), with g the gradients of C times the root of k. */
CLOTH_INLINE void rank_one_tangent(int32_t edges, const lanes *packed, const lanes3 *e, lanes3 *pulls) {
  lanes along = lanes_splat(0.0f);
  for (int32_t n = 0; n < edges; n++) {
    along = lanes_add(along, lanes3_dot(packed_vector(packed, 3 * n), e[n]));
  }
  for (int32_t n = 0; n < edges; n++) {
    pulls[n] = lanes3_scale(packed_vector(packed, 3 * n), along);
  }
}

/* Pulls and tangent of the energy k / 2 C^2 of a condition C with gradients g by its edges, damped by the viscosity
   eta [s]: k (C + eta dC/dt) g. `stiffness` is k over the reference mass, with the element's scale. */
CLOTH_INLINE void condition_pulls(const method_law *l, const law_elements *in, lanes stiffness, lanes condition,
                                  const lanes3 *g, law_pulls *out) {
  lanes rate = lanes_splat(0.0f);
  for (int32_t n = 0; n < l->edges; n++) {
    rate = lanes_add(rate, lanes3_dot(g[n], in->v[n]));
  }
  const lanes tau = lanes_splat(l->tau), eta = lanes_splat(l->damping);
  const lanes pull = lanes_multiply(lanes_multiply(tau, stiffness), lanes_add(condition, lanes_multiply(eta, rate)));
  const lanes tangent = lanes_multiply(lanes_multiply(tau, stiffness), lanes_add(tau, eta));
  const lanes root = lanes_square_root(lanes_flush(tangent));
  for (int32_t n = 0; n < l->edges; n++) {
    out->along[n] = lanes3_scale(g[n], pull);
    pack_vector(out, 3 * n, lanes3_scale(g[n], root));
  }
}
