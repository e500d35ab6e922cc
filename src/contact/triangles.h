#pragma once
#include "../compiler.h"
#include "../costs.h"
#include "../geometry.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../shape_field.h"
#include "../shape_mesh.h"
#include "../triangle.h"
#include "body.h"
#include "memory.h"

/// Triangles near particles ///

/*
 * Meshes and height fields are surfaces: triangles without a distance that has a sign. A particle meets the triangles
 * near it, on the side on which its way begins; those with one side, of closed meshes and the ground, on that side.
 *
 * The nearest point of all triangles is a contact. It is one of a convex surface, whatever its edges. Others count
 * beside it only if they are apart from it, up to SURFACE_FACES in a corner:
 *
 *   a face above which the particle is, at an angle of more than 45 degrees with the contacts found;
 *   an edge or a corner, if it is also above the tangent planes of these: no diagonal of a plane is.
 *
 * Faces that lean less to each other meet in a crease that is rounded: from where the second face begins, to where both
 * are equally near, the normal turns from the one's to the mean of both. So what rests in the crease has no force that
 * jumps.
 *
 * In: geometries, points in their axes. Out: what the functions return. Scratch: none.
 */

#if WITH_SURFACES

/* Most triangles that are listed, and most cells of a height field that are looked at for it. */
#define MOST_LISTED MESH_WALK_TRIANGLES
#define MOST_CELLS 256
/* Most contacts of a particle with a surface. */
#define SURFACE_FACES MOST_FACES
/* Contacts whose normals have a larger dot product are one. */
#define SAME_FACE 0.7f
/* Faces whose normals have a larger dot product are the same plane. */
#define SAME_PLANE 0.9999f
/* By how much an edge that is a contact of its own is above the tangent planes of others [m]. */
#define ABOVE_PLANE 1.0e-5f
/* No gap [m], as FAR_GAP of touches. */
#define NO_FACE 1.0e9f

/* Triangles near a box: their numbers in a mesh; twice those of cells of a height field, and one more for the upper. */
typedef struct triangle_list {
  const cloth_geometry *g;
  int32_t count;
  int32_t overflows; /* 1: there are more */
  int32_t is_short;  /* 1: of what is near the ends of ways alone, for one particle */
  uint32_t work;     /* see costs.h */
  int32_t item[MOST_LISTED];
} triangle_list;

#if WITH_HEIGHT_FIELD

/* Lists the triangles of the cells whose ground may be in a box. */
static void list_field(triangle_list *list, cloth_vector low, cloth_vector high) {
  const cloth_geometry *g = list->g;
  const float across[2] = {1.0f / g->spacing[0], 1.0f / g->spacing[1]};
  const int32_t columns = g->counts[0] - 1, rows = g->counts[1] - 1;
  const int32_t left = clamped_cell(low.x * across[0], columns), right = clamped_cell(high.x * across[0], columns);
  const int32_t first = clamped_cell(low.z * across[1], rows), last = clamped_cell(high.z * across[1], rows);
  list->overflows = (int64_t)(right - left + 1) * (last - first + 1) > MOST_CELLS;
  for (int32_t row = first; row <= last && !list->overflows; row++) {
    for (int32_t column = left; column <= right; column++) {
      list->work += COST_FIELD_TEST;
      if (highest_corner(g, column, row) < low.y) {
        continue;
      }
      if (list->count + 2 > MOST_LISTED) {
        list->overflows = 1;
        return;
      }
      list->item[list->count++] = 2 * (row * columns + column);
      list->item[list->count++] = 2 * (row * columns + column) + 1;
    }
  }
}

#endif

/* Lists the triangles of a surface near a box in its axes. */
CLOTH_SEPARATE void list_triangles(triangle_list *list, const cloth_geometry *g, cloth_vector low, cloth_vector high) {
  list->g = g;
  list->count = list->overflows = list->is_short = 0;
  list->work = 0;
  if (high.x < g->low.x || low.x > g->high.x || high.z < g->low.z || low.z > g->high.z || low.y > g->high.y ||
      (g->shape == CLOTH_SHAPE_MESH && high.y < g->low.y)) {
    return;
  }
#if WITH_HEIGHT_FIELD
  if (g->shape == CLOTH_SHAPE_HEIGHT_FIELD) {
    list_field(list, low, high);
    return;
  }
#endif
#if WITH_MESH
  mesh_walk w;
  start_walk(&w, g, low, high);
  for (int32_t n = next_triangle(&w); n >= 0; n = next_triangle(&w)) {
    list->item[list->count++] = n;
  }
  list->overflows = w.overflows;
  list->work += (uint32_t)w.nodes * COST_MESH_NODE;
#endif
}

/* Work of measuring the triangles of a list for so many particles; and with that of the list itself. */
static uint32_t measuring_work(const triangle_list *list, int32_t particles) {
  const uint32_t made = list->g->shape == CLOTH_SHAPE_HEIGHT_FIELD ? WORK_MADE : 0u;
  return (uint32_t)(list->count * particles) * (WORK_LISTED + made);
}

static uint32_t list_work(const triangle_list *list, int32_t particles) {
  return list->work + measuring_work(list, particles);
}

#if WITH_HEIGHT_FIELD

/* The corners of a triangle of a list, of a height field. */
static void listed_corners(const triangle_list *list, int32_t n, cloth_vector corner[3]) {
  const int32_t cell = list->item[n] / 2, columns = list->g->counts[0] - 1;
  field_corners(list->g, cell % columns, cell / columns, list->item[n] & 1, corner);
}

#endif

/* A triangle of a list; of a height field it is made in *room. */
static const surface_triangle *listed_triangle(const triangle_list *list, int32_t n, surface_triangle *room) {
  const cloth_geometry *g = list->g;
#if WITH_HEIGHT_FIELD
  if (g->shape == CLOTH_SHAPE_HEIGHT_FIELD) {
    cloth_vector corner[3];
    listed_corners(list, n, corner);
    make_triangle(room, corner[0], corner[1], corner[2]);
    return room;
  }
#endif
  (void)room;
  return (const surface_triangle *)geometry_data(g, g->data) + list->item[n];
}

/* The same, of which corner and edges are enough. */
static const surface_triangle *listed_span(const triangle_list *list, int32_t n, surface_triangle *room) {
#if WITH_HEIGHT_FIELD
  if (list->g->shape == CLOTH_SHAPE_HEIGHT_FIELD) {
    cloth_vector corner[3];
    listed_corners(list, n, corner);
    span_triangle(room, corner[0], corner[1], corner[2]);
    return room;
  }
#endif
  return listed_triangle(list, n, room);
}

/// Distances of particles from triangles ///

/* A block of particles near a surface, in its axes [m]. */
typedef struct surface_points {
  lanes3 from, to; /* where their ways begin; where contacts are looked for */
  lanes3 moved;    /* by which `to` has been moved out of triangles that the ways passed */
  lanes radius;    /* contacts are no farther */
  lanes behind;    /* a triangle with one side holds what is no farther behind it, at both ends of its way */
  int32_t one_sided;
  uint32_t work; /* of what ways pass */
} surface_points;

/* How far a block of particles is from a triangle. */
typedef struct triangle_distance {
  lanes_mask found; /* within the radius, and on a side that holds them */
  lanes gap;        /* below 0 behind a triangle with one side [m] */
  lanes3 normal;
  lanes_mask is_face; /* an inner point is nearest, no edge or corner */
} triangle_distance;

/* How far points are outside of the edges of a triangle; they are relative to its corner. Returns the largest. */
CLOTH_INLINE lanes beyond_edges(const surface_triangle *t, lanes3 p, lanes excess[3]) {
  excess[0] = lanes3_dot(lanes3_splat(t->outward[0]), p);
  excess[1] = lanes_subtract(lanes3_dot(lanes3_splat(t->outward[1]), p), lanes_splat(t->far_side));
  excess[2] = lanes3_dot(lanes3_splat(t->outward[2]), p);
  return lanes_flush(lanes_maximum(excess[0], lanes_maximum(excess[1], excess[2])));
}

/* The vectors from the nearest points of the edges that points are outside of: from_edges() for a block. */
CLOTH_SEPARATE lanes3 away_from_edges(const surface_triangle *t, lanes3 p, const lanes excess[3]) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes3 nearest = p;
  lanes least = lanes_splat(NO_FACE);
  for (int32_t edge = 0; edge < 3; edge++) {
    const cloth_vector start = edge == 1 ? t->edge[0] : vector(0.0f, 0.0f, 0.0f);
    const cloth_vector along = vector_flush(vector_subtract(t->edge[edge == 0 ? 0 : 1], start), STATE_QUANTUM);
    const lanes3 q = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(start)), STATE_QUANTUM);
    const lanes share =
        lanes_flush(lanes_multiply(lanes3_dot(q, lanes3_splat(along)), lanes_splat(t->inverse_squared[edge])));
    const lanes within = lanes_minimum(lanes_maximum(share, zero), one);
    const lanes3 away =
        lanes3_flush_below(lanes3_add_scaled(q, lanes3_splat(along), lanes_negate(within)), STATE_QUANTUM);
    const lanes squared = lanes3_dot(away, away);
    const lanes_mask is_nearer = lanes_both(lanes_less(zero, excess[edge]), lanes_less(squared, least));
    nearest = lanes3_select(is_nearer, away, nearest);
    least = lanes_select(is_nearer, squared, least);
  }
  return nearest;
}

/* Measures a triangle where it may be nearer than `limit`; without `edges` its inner points alone. *closest is lowered
   to its distance, whether it holds the particles or not. Returns 0 if it is not within the radius of any. */
CLOTH_INLINE int measure_triangle(const surface_triangle *t, const surface_points *s, lanes limit, int edges,
                                  lanes *closest, triangle_distance *d) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 normal = lanes3_splat(t->normal), corner = lanes3_splat(t->corner);
  const lanes3 p = lanes3_flush_below(lanes3_subtract(s->to, corner), STATE_QUANTUM);
  const lanes height = lanes_flush_below(lanes3_dot(normal, p), STATE_QUANTUM);
  lanes distance = lanes_absolute(height), excess[3];
  if (!lanes_any(lanes_less(distance, s->radius))) {
    return 0;
  }
  const lanes outside = beyond_edges(t, p, excess), beside = lanes_maximum(outside, zero);
  const lanes least = lanes_add(lanes_multiply(beside, beside), lanes_multiply(height, height));
  if (!lanes_any(lanes_less(least, lanes_multiply(s->radius, s->radius)))) {
    return 0;
  }
  const lanes_mask is_edge = lanes_less(zero, outside);
  d->is_face = lanes_less(outside, lanes_splat(WORK_QUANTUM));
  d->found = lanes_less(least, lanes_multiply(limit, limit));
  d->found = edges ? d->found : lanes_both(d->found, d->is_face);
  d->gap = distance;
  d->normal = normal;
  if (!lanes_any(d->found)) {
    return 1;
  }
  const lanes3 start = lanes3_flush_below(lanes3_subtract(s->from, corner), STATE_QUANTUM);
  const lanes before = lanes_flush_below(lanes3_dot(normal, start), STATE_QUANTUM);
  const lanes_mask is_behind = lanes_less(lanes_select(lanes_less(zero, distance), height, before), zero);
  lanes3 n = s->one_sided ? normal : lanes3_scale(normal, lanes_select(is_behind, lanes_splat(-1.0f), one));
  d->gap = s->one_sided ? height : distance;
  if (edges && lanes_any(lanes_both(d->found, is_edge))) {
    const lanes3 away = away_from_edges(t, p, excess);
    const lanes length = lanes3_length(away), shortest = lanes_splat(STATE_QUANTUM);
    const lanes3 outward = lanes3_scale(away, lanes_divide(one, lanes_maximum(length, shortest)));
    n = lanes3_select(lanes_both(is_edge, lanes_less(shortest, length)), outward, n);
    distance = lanes_select(is_edge, length, distance);
    d->gap = lanes_select(is_edge, length, d->gap);
  }
  d->found = lanes_both(d->found, lanes_less(distance, s->radius));
  *closest = lanes_select(d->found, lanes_minimum(distance, *closest), *closest);
  if (s->one_sided) {
    const lanes most = lanes_select(d->is_face, s->behind, lanes_splat(STATE_QUANTUM));
    d->found = lanes_both(d->found, lanes_less(lanes_negate(s->behind), before));
    d->found = lanes_both(d->found, lanes_less(lanes_negate(most), height));
  }
  d->normal = lanes3_flush(n);
  return 1;
}

/// Contacts ///

/* The contacts of a block of particles with a surface: the nearest first; NO_FACE where there are no more. */
typedef struct surface_hits {
  lanes gap[SURFACE_FACES];
  lanes3 normal[SURFACE_FACES];
} surface_hits;

static void clear_hits(surface_hits *h) {
  for (int32_t f = 0; f < SURFACE_FACES; f++) {
    h->gap[f] = lanes_splat(NO_FACE);
    h->normal[f] = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  }
}

CLOTH_INLINE lanes_mask is_hit(lanes gap) {
  return lanes_less(gap, lanes_splat(0.5f * NO_FACE));
}

/* Adds contacts behind those that there are. */
static void add_hits(surface_hits *h, lanes_mask which, lanes gap, lanes3 normal) {
  const lanes one = lanes_splat(1.0f), half = lanes_splat(0.5f);
  lanes left = lanes_keep(which, one);
  for (int32_t f = 0; f < SURFACE_FACES; f++) {
    const lanes is_free = lanes_drop(is_hit(h->gap[f]), left);
    const lanes_mask to = lanes_less(half, is_free);
    h->gap[f] = lanes_select(to, gap, h->gap[f]);
    h->normal[f] = lanes3_select(to, normal, h->normal[f]);
    left = lanes_drop(to, left);
  }
}

/* Which triangles are contacts of their own beside those found. Behind a face nothing else is one. */
CLOTH_INLINE lanes_mask are_hits_apart(const surface_hits *h, const triangle_distance *d) {
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  const lanes front = lanes_minimum(d->gap, h->gap[0]);
  lanes_mask apart = lanes_both(d->found, lanes_less(zero, lanes_select(is_hit(h->gap[0]), front, one)));
  for (int32_t f = 0; f < SURFACE_FACES - 1; f++) {
    const lanes cosine = lanes_flush(lanes3_dot(h->normal[f], d->normal));
    const lanes above = lanes_subtract(h->gap[f], lanes_multiply(d->gap, cosine));
    apart = lanes_both(apart, lanes_less(cosine, lanes_splat(SAME_FACE)));
    apart = lanes_both(apart, lanes_less(lanes_splat(ABOVE_PLANE), lanes_select(d->is_face, one, above)));
  }
  return apart;
}

/* Above the tangent plane of which nearest contacts a corner of a triangle is: what is below nobody meets who is above.
 */
CLOTH_INLINE lanes_mask rises_above(const surface_triangle *t, const surface_points *s, const surface_hits *h) {
  const lanes3 n = h->normal[0], p = lanes3_flush_below(lanes3_subtract(lanes3_splat(t->corner), s->to), STATE_QUANTUM);
  const lanes first = lanes3_dot(n, lanes3_splat(t->edge[0])), second = lanes3_dot(n, lanes3_splat(t->edge[1]));
  const lanes rises = lanes_maximum(lanes_maximum(first, second), lanes_splat(0.0f));
  const lanes corner = lanes_add(lanes3_dot(n, p), h->gap[0]);
  return lanes_less(lanes_splat(ABOVE_PLANE), lanes_add(corner, rises));
}

/* Keeps those of a list that rise above the nearest contacts. */
CLOTH_SEPARATE void keep_rising(triangle_list *list, const surface_points *s, lanes_mask which, const surface_hits *h) {
  surface_triangle room;
  const int32_t count = list->count;
  list->count = 0;
  for (int32_t n = 0; n < count; n++) {
    if (lanes_any(lanes_both(which, rises_above(listed_span(list, n, &room), s, h)))) {
      list->item[list->count++] = list->item[n];
    }
  }
}

/* Finds the nearest contact beside those found, and adds it. `near`, or NULL, gets the triangles that may be within
   the radius of some. Returns 1 if there is any. */
CLOTH_SEPARATE int find_next_hit(const triangle_list *list, const surface_points *s, lanes_mask which, surface_hits *h,
                                 lanes *closest, int is_first, triangle_list *near) {
  surface_triangle room;
  triangle_distance d;
  lanes best = s->radius, gap = best;
  lanes3 normal = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  for (int32_t n = 0; n < list->count; n++) {
    const surface_triangle *t = listed_triangle(list, n, &room);
    if (!measure_triangle(t, s, best, 1, closest, &d)) {
      continue;
    }
    if (near) {
      near->item[near->count++] = list->item[n];
    }
    lanes_mask is_nearer = lanes_both(which, d.found);
    if (!lanes_any(is_nearer)) {
      continue;
    }
    const lanes size = lanes_absolute(d.gap);
    is_nearer = lanes_both(is_nearer, lanes_both(are_hits_apart(h, &d), lanes_less(size, best)));
    is_nearer = is_first ? is_nearer : lanes_both(is_nearer, rises_above(t, s, h));
    best = lanes_select(is_nearer, size, best);
    gap = lanes_select(is_nearer, d.gap, gap);
    normal = lanes3_select(is_nearer, d.normal, normal);
  }
  const lanes_mask found = lanes_both(which, lanes_less(best, s->radius));
  add_hits(h, found, gap, normal);
  return lanes_any(found);
}

/* Rounds creases: turns the nearest contact towards the nearest other face that leans to it by less than 45 degrees, by
   w / 2 with w = (g_0 - c g) / ((1 - c) g), which is 0 where that face begins and 1 where both are equally near. */
CLOTH_SEPARATE void round_crease(const triangle_list *list, const surface_points *s, lanes_mask which,
                                 surface_hits *h) {
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f), half = lanes_splat(0.5f);
  surface_triangle room;
  triangle_distance d;
  lanes best = s->radius, share = zero, closest = s->radius;
  lanes3 other = h->normal[0];
  for (int32_t n = 0; n < list->count; n++) {
    const surface_triangle *t = listed_triangle(list, n, &room);
    if (!measure_triangle(t, s, best, 0, &closest, &d) || !lanes_any(lanes_both(which, d.found))) {
      continue;
    }
    const lanes cosine = lanes_flush(lanes3_dot(h->normal[0], d.normal));
    const lanes inside = lanes_subtract(h->gap[0], lanes_multiply(cosine, d.gap));
    lanes_mask is_it =
        lanes_both(lanes_less(lanes_splat(SAME_FACE), cosine), lanes_less(cosine, lanes_splat(SAME_PLANE)));
    is_it = lanes_both(lanes_both(is_it, lanes_both(which, d.found)),
                       lanes_both(rises_above(t, s, h), lanes_less(zero, d.gap)));
    is_it = lanes_both(is_it, lanes_both(lanes_less(zero, inside), lanes_less(d.gap, best)));
    const lanes whole = lanes_select(is_it, lanes_multiply(lanes_subtract(one, cosine), d.gap), one);
    best = lanes_select(is_it, d.gap, best);
    share = lanes_select(is_it, lanes_minimum(lanes_divide(inside, whole), one), share);
    other = lanes3_select(is_it, d.normal, other);
  }
  const lanes second = lanes_multiply(half, share), first = lanes_subtract(one, second);
  const lanes3 sum = lanes3_flush(lanes3_add_scaled(lanes3_scale(h->normal[0], first), other, second));
  const lanes length = lanes_maximum(lanes3_length(sum), half);
  const lanes gap = lanes_add(lanes_multiply(first, h->gap[0]), lanes_multiply(second, best));
  const lanes_mask rounds = lanes_both(which, lanes_less(zero, share));
  h->gap[0] = lanes_select(rounds, lanes_divide(gap, length), h->gap[0]);
  h->normal[0] = lanes3_select(rounds, lanes3_flush(lanes3_scale(sum, lanes_divide(one, length))), h->normal[0]);
}

#endif
