#pragma once
#include "compiler.h"
#include "scalar.h"

/// Triangles ///

/*
 * One triangle, as contact with meshes and height fields needs it, and the search for the surface that a particle's
 * path meets. In: corners, paths. Out: the contact found so far. Reads and writes no cloth.
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

/* Makes a triangle of three corners without fractions below STATE_QUANTUM. Returns 0 if it is degenerate. */
static int make_triangle(surface_triangle *t, cloth_vector a, cloth_vector b, cloth_vector c) {
  t->corner = a;
  t->edge[0] = vector_flush(vector_subtract(b, a), STATE_QUANTUM);
  t->edge[1] = vector_flush(vector_subtract(c, a), STATE_QUANTUM);
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

#if WITH_MESH

#endif
#endif

/// Contact of a path with triangles ///

/*
 * A particle goes straight from `from` to `to`. The first triangle that it passes through holds it, on the side where
 * it was. If it passes through none, the nearest point of all triangles holds it, if that is closer than the margin. So
 * the edge between two triangles of a plane never holds it: their inner points are nearer.
 */

#if WITH_CONCAVE

typedef struct surface_search {
  cloth_vector from, to; /* in the collider's axes [m] */
  float margin;          /* distance of `to` below which it touches: that to keep, and `push` [m] */
  float push;            /* length of the push in `to`, see contact_push.h [m] */
  int32_t one_sided;     /* 1: the side of the normal alone is surface */
  float share;           /* of the path up to the first triangle that it passes through; SEARCH_NONE: none */
  float nearest;         /* distance of `to` from the nearest triangle, margin or less [m] */
  cloth_vector normal;   /* of the contact */
  float penetration;     /* of `to` along the normal, 0 without contact [m] */
  int32_t touches;       /* 1 if there is a contact */
  cloth_vector other;    /* normal of the contact with the nearest but one, ... */
  float other_depth;     /* ... and its penetration; 0: none [m] */
  int32_t looked_at;   /* units of work in a height field, or steps in a distance grid, in all passes of the substep */
  int32_t tested, met; /* cells of a height field that may be near, and that are, in this pass */
  int32_t overflows;   /* how often the search ended at a bound */
  uint32_t work;       /* see costs.h */
} surface_search;

#define SEARCH_NONE 2.0f
/* A path that passes an edge by no more than this passes through the triangle: the gap that rounding leaves between
   triangles that share an edge [m]. */
#define EDGE_TOLERANCE 1.0e-5f

#if WITH_HEIGHT_FIELD

/* Forgets the contact found. */
static void reset_search(surface_search *s) {
  s->share = SEARCH_NONE;
  s->nearest = s->margin;
  s->normal = s->other = vector(0.0f, 1.0f, 0.0f);
  s->penetration = s->other_depth = 0.0f;
  s->touches = 0;
}

/* A search with the distance `margin` to keep. */
static surface_search start_search(cloth_vector from, cloth_vector to, float margin, float push, int32_t one_sided) {
  surface_search s;
  s.from = from;
  s.to = to;
  s.margin = margin + push;
  s.push = push;
  s.one_sided = one_sided;
  s.looked_at = s.tested = s.met = s.overflows = 0;
  s.work = 0;
  reset_search(&s);
  return s;
}

#endif

#if WITH_MESH || WITH_HEIGHT_FIELD

#endif

#if WITH_MESH

#endif
#endif
