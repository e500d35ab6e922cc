#pragma once
#include "compiler.h"
#include "scalar.h"

/// Triangles ///

/*
 * One triangle, as contact with meshes and height fields needs it. In: corners. Out: the triangle. Reads and writes no
 * cloth.
 */

#if WITH_MESH || WITH_HEIGHT_FIELD

/* A triangle with its counter-clockwise normal. All but `corner` are relative to that corner. */
typedef struct surface_triangle {
  cloth_vector corner;      /* [m] */
  cloth_vector normal;      /* unit length */
  cloth_vector edge[2];     /* to the second and to the third corner [m] */
  cloth_vector outward[3];  /* unit normals of the edges in the plane, from the first edge on */
  float far_side;           /* distance of the second edge from `corner`, along outward[1] [m] */
  float inverse_squared[3]; /* of the lengths of the edges [1/m^2] */
} surface_triangle;

LAYOUT_CONTRACT(triangle_is_floats, sizeof(surface_triangle) == 25 * sizeof(float));

/* Smallest double area [m^2] and height [m] of a triangle: smaller ones have no normal within the rounding of their
   corners. */
#define TRIANGLE_MIN_AREA 2.0e-8f
#define TRIANGLE_MIN_HEIGHT 1.0e-5f

static float square_of(cloth_vector a) {
  return vector_dot(a, a);
}

/* The direction in the plane that leads out of an edge. */
static cloth_vector edge_normal(cloth_vector along, cloth_vector normal, float inverse_squared) {
  cloth_vector across = vector_flush_work(vector_cross(along, normal));
  return vector_flush_work(vector_scale(across, square_root(inverse_squared)));
}

/* Makes the corner and the edges of a triangle of three corners without fractions below STATE_QUANTUM. */
static void span_triangle(surface_triangle *t, cloth_vector a, cloth_vector b, cloth_vector c) {
  t->corner = a;
  t->edge[0] = vector_flush(vector_subtract(b, a), STATE_QUANTUM);
  t->edge[1] = vector_flush(vector_subtract(c, a), STATE_QUANTUM);
}

/* Makes a triangle of such corners. Returns 0 if it is degenerate. */
static int make_triangle(surface_triangle *t, cloth_vector a, cloth_vector b, cloth_vector c) {
  span_triangle(t, a, b, c);
  const cloth_vector across = vector_flush(vector_subtract(c, b), STATE_QUANTUM);
  const cloth_vector area = vector_flush_work(vector_cross(t->edge[0], t->edge[1]));
  const float twice = vector_length(area);
  const float squares[3] = {square_of(t->edge[0]), square_of(across), square_of(t->edge[1])};
  const float longest = square_root(maximum(squares[0], maximum(squares[1], squares[2])));
  if (twice < TRIANGLE_MIN_AREA || twice < TRIANGLE_MIN_HEIGHT * longest) {
    return 0;
  }
  t->normal = vector_flush_work(vector_scale(area, 1.0f / twice));
  for (int32_t n = 0; n < 3; n++) {
    t->inverse_squared[n] = 1.0f / squares[n];
  }
  t->outward[0] = edge_normal(t->edge[0], t->normal, t->inverse_squared[0]);
  t->outward[1] = edge_normal(across, t->normal, t->inverse_squared[1]);
  t->outward[2] = edge_normal(vector_subtract(vector(0.0f, 0.0f, 0.0f), t->edge[1]), t->normal, t->inverse_squared[2]);
  t->far_side = flush_small(vector_dot(t->outward[1], t->edge[0]), STATE_QUANTUM);
  return 1;
}

#endif
