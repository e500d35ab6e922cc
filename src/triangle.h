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

/* How far a point is outside of the three edges; `p` is relative to t->corner. Returns the largest. */
CLOTH_INLINE float outside_edges(const surface_triangle *t, cloth_vector p, float excess[3]) {
  excess[0] = vector_dot(t->outward[0], p);
  excess[1] = vector_dot(t->outward[1], p) - t->far_side;
  excess[2] = vector_dot(t->outward[2], p);
  return maximum(excess[0], maximum(excess[1], excess[2]));
}

/* The vector from the nearest point of an edge to `p`, which is relative to t->corner. */
static cloth_vector from_edge(const surface_triangle *t, int32_t edge, cloth_vector p) {
  cloth_vector along = t->edge[edge == 0 ? 0 : 1];
  if (edge == 1) {
    p = vector_subtract(p, t->edge[0]);
    along = vector_subtract(along, t->edge[0]);
  }
  p = vector_flush(p, STATE_QUANTUM);
  along = vector_flush(along, STATE_QUANTUM);
  float share = flush_small(vector_dot(p, along) * t->inverse_squared[edge], WORK_QUANTUM);
  share = minimum(maximum(share, 0.0f), 1.0f);
  return vector_flush(vector_add_scaled(p, along, negate(share)), STATE_QUANTUM);
}

/* The vector from the nearest point of the edges to a point that is outside of some, by `excess`. */
static cloth_vector from_edges(const surface_triangle *t, cloth_vector p, const float excess[3]) {
  cloth_vector nearest = p;
  float least = 1.0e30f;
  for (int32_t edge = 0; edge < 3; edge++) {
    if (excess[edge] > 0.0f) {
      const cloth_vector away = from_edge(t, edge, p);
      const float squared = square_of(away);
      nearest = squared < least ? away : nearest;
      least = minimum(squared, least);
    }
  }
  return nearest;
}

#if WITH_MESH

/* Is a triangle nearer to a point than a radius? */
static int is_triangle_near(const surface_triangle *t, cloth_vector point, float radius) {
  const cloth_vector p = vector_subtract(point, t->corner);
  const float height = flush_small(vector_dot(t->normal, p), WORK_QUANTUM);
  float excess[3];
  if (height >= radius || height <= negate(radius)) {
    return 0;
  }
  const float outside = flush_small(outside_edges(t, p, excess), WORK_QUANTUM);
  const float squared = radius * radius;
  return outside <= 0.0f ||
         (outside * outside + height * height < squared && square_of(from_edges(t, p, excess)) < squared);
}

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

#if WITH_MESH || WITH_HEIGHT_FIELD

/* Takes a surface into account that the path passes through after a share of it. `depth` is how far its end is behind.
 */
static void pass_surface(surface_search *s, float share, cloth_vector normal, float depth) {
  if (share < s->share) {
    s->share = share;
    s->touches = 1;
    s->normal = normal;
    s->penetration = s->margin + depth;
  }
}

/* Takes a surface into account that is at a distance from the path's end, in the direction -normal. */
static void approach_surface(surface_search *s, float distance, cloth_vector normal) {
  const float depth = s->margin - distance;
  if (distance < s->nearest) {
    s->other = s->normal;
    s->other_depth = s->penetration;
    s->nearest = distance;
    s->touches = 1;
    s->normal = normal;
    s->penetration = depth;
  } else if (depth > s->other_depth) {
    s->other = normal;
    s->other_depth = depth;
  }
}

/* The normal on one side of a triangle, without -0. */
static cloth_vector side_normal(const surface_triangle *t, float side) {
  return vector_flush_work(vector_scale(t->normal, side));
}

/* The distance of the path's end `p`, relative to t->corner and at `height`, if it is within the margin. */
static void measure_end(surface_search *s, const surface_triangle *t, cloth_vector p, float height, float side) {
  float excess[3];
  const float outside = flush_small(outside_edges(t, p, excess), WORK_QUANTUM);
  if (!(outside > 0.0f)) {
    approach_surface(s, side * height, side_normal(t, side));
    return;
  }
  if (outside * outside + height * height >= s->margin * s->margin || (s->one_sided && height < 0.0f)) {
    return;
  }
  const cloth_vector away = from_edges(t, p, excess);
  const float distance = square_root(square_of(away));
  if (distance > STATE_QUANTUM) {
    approach_surface(s, distance, vector_flush_work(vector_scale(away, 1.0f / distance)));
  } else {
    approach_surface(s, distance, side_normal(t, side));
  }
}

#endif

/* Penetration left after a contact that takes another pass [m]: less is rounding. */
#define PASS_DEPTH 1.0e-5f

/* Does a contact leave others to do? The particle is passed through a surface, or the nearest but one is not left by
   leaving the nearest. */
static int needs_another_pass(const surface_search *s) {
  const float depth = s->other_depth - s->push;
  const float left = depth - (s->penetration - s->push) * vector_dot(s->other, s->normal);
  return s->share != SEARCH_NONE || (depth > 0.0f && left > PASS_DEPTH);
}

#if WITH_MESH

/* Does the path pass through a triangle? `before` and `after` are the heights of its ends, on different sides. */
static int passes_through(surface_search *s, const surface_triangle *t, float before, float after) {
  const float share = flush_small(before / (before - after), WORK_QUANTUM);
  const cloth_vector start = vector_subtract(s->from, t->corner);
  const cloth_vector way = vector_flush(vector_subtract(s->to, s->from), STATE_QUANTUM);
  const cloth_vector p = vector_flush(vector_add_scaled(start, way, share), STATE_QUANTUM);
  float excess[3];
  if (outside_edges(t, p, excess) > EDGE_TOLERANCE) {
    return 0;
  }
  const float side = before < 0.0f ? -1.0f : 1.0f;
  pass_surface(s, share, side_normal(t, side), negate(side * after));
  return 1;
}

/* Takes one triangle into account. */
static void meet_triangle(surface_search *s, const surface_triangle *t) {
  /* Ends and corners are 0 or at least 2^-30 along each axis, so differences are 0 or at least 2^-53. */
  const cloth_vector p = vector_subtract(s->to, t->corner), start = vector_subtract(s->from, t->corner);
  const float after = flush_small(vector_dot(t->normal, p), STATE_QUANTUM);
  const float before = flush_small(vector_dot(t->normal, start), STATE_QUANTUM);
  if (s->one_sided && before < negate(s->margin)) {
    return;
  }
  const int is_behind = before < 0.0f;
  const int crosses = is_behind ? after > 0.0f : after < 0.0f;
  if (crosses && !(s->one_sided && is_behind) && passes_through(s, t, before, after)) {
    return;
  }
  if (s->share == SEARCH_NONE && absolute(after) < s->margin) {
    const int is_below = !s->one_sided && (after < 0.0f || (after == 0.0f && is_behind));
    measure_end(s, t, p, after, is_below ? -1.0f : 1.0f);
  }
}

#endif
#endif
