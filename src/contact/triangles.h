#pragma once
#include "../compiler.h"
#include "../costs.h"
#include "../geometry.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../shape_field.h"
#include "../shape_mesh.h"
#include "../triangle.h"
#include "../types.h"
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
 *   an edge or a corner, if it is also above the tangent planes of these. Without that every diagonal of a plane is
 * one.
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

/* A triangle of a list; of a height field it is made in *room. */
static const surface_triangle *listed_triangle(const triangle_list *list, int32_t n, surface_triangle *room) {
  const cloth_geometry *g = list->g;
#if WITH_HEIGHT_FIELD
  if (g->shape == CLOTH_SHAPE_HEIGHT_FIELD) {
    const int32_t cell = list->item[n] / 2, columns = g->counts[0] - 1;
    field_triangle(g, cell % columns, cell / columns, list->item[n] & 1, room);
    return room;
  }
#endif
  (void)room;
  return (const surface_triangle *)geometry_data(g, g->data) + list->item[n];
}

/// Distances of particles from triangles ///

/* A block of particles near a surface, in its axes [m]. */
typedef struct surface_points {
  lanes3 from, to; /* where their ways begin; where contacts are looked for */
  lanes3 moved;    /* by which `to` has been moved out of triangles that the ways passed */
  lanes radius;    /* contacts are no farther */
  lanes behind;    /* a triangle with one side holds what is no farther behind it, at both ends of its way */
  int32_t one_sided;
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

/* Measures a triangle. *closest is lowered to its distance, whether it holds the particles or not. Returns 0 if it is
   far from all. */
CLOTH_INLINE int measure_triangle(const surface_triangle *t, const surface_points *s, lanes *closest,
                                  triangle_distance *d) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 normal = lanes3_splat(t->normal), corner = lanes3_splat(t->corner);
  const lanes3 p = lanes3_flush_below(lanes3_subtract(s->to, corner), STATE_QUANTUM);
  const lanes height = lanes_flush_below(lanes3_dot(normal, p), STATE_QUANTUM);
  lanes distance = lanes_absolute(height), excess[3];
  lanes_mask near = lanes_less(distance, s->radius);
  if (!lanes_any(near)) {
    return 0;
  }
  const lanes outside = beyond_edges(t, p, excess);
  near = lanes_both(near, lanes_less(outside, s->radius));
  if (!lanes_any(near)) {
    return 0;
  }
  const lanes3 start = lanes3_flush_below(lanes3_subtract(s->from, corner), STATE_QUANTUM);
  const lanes before = lanes_flush_below(lanes3_dot(normal, start), STATE_QUANTUM);
  const lanes_mask is_behind = lanes_less(lanes_select(lanes_less(zero, distance), height, before), zero);
  lanes3 n = s->one_sided ? normal : lanes3_scale(normal, lanes_select(is_behind, lanes_splat(-1.0f), one));
  const lanes_mask is_edge = lanes_less(zero, outside);
  d->is_face = lanes_less(outside, lanes_splat(WORK_QUANTUM));
  d->gap = s->one_sided ? height : distance;
  if (lanes_any(lanes_both(near, is_edge))) {
    const lanes3 away = away_from_edges(t, p, excess);
    const lanes length = lanes3_length(away), least = lanes_splat(STATE_QUANTUM);
    const lanes3 outward = lanes3_scale(away, lanes_divide(one, lanes_maximum(length, least)));
    n = lanes3_select(lanes_both(is_edge, lanes_less(least, length)), outward, n);
    distance = lanes_select(is_edge, length, distance);
    d->gap = lanes_select(is_edge, length, d->gap);
  }
  near = lanes_both(near, lanes_less(distance, s->radius));
  *closest = lanes_select(near, lanes_minimum(distance, *closest), *closest);
  if (s->one_sided) {
    const lanes most = lanes_select(d->is_face, s->behind, lanes_splat(STATE_QUANTUM));
    near = lanes_both(near, lanes_less(lanes_negate(s->behind), before));
    near = lanes_both(near, lanes_less(lanes_negate(most), height));
  }
  d->found = near;
  d->normal = lanes3_flush(n);
  return lanes_any(near);
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

/* Finds the nearest contact beside those found, and adds it. `near`, NULL for nobody, gets the triangles that are
   within the radius of some. Returns 1 if there is any. */
CLOTH_SEPARATE int find_next_hit(const triangle_list *list, const surface_points *s, lanes_mask which, surface_hits *h,
                                 lanes *closest, triangle_list *near) {
  surface_triangle room;
  triangle_distance d;
  lanes best = s->radius, gap = best;
  lanes3 normal = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  for (int32_t n = 0; n < list->count; n++) {
    if (!measure_triangle(listed_triangle(list, n, &room), s, closest, &d)) {
      continue;
    }
    if (near) {
      near->item[near->count++] = list->item[n];
    }
    const lanes size = lanes_absolute(d.gap);
    const lanes_mask is_nearer = lanes_both(lanes_both(which, are_hits_apart(h, &d)), lanes_less(size, best));
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
    if (!measure_triangle(listed_triangle(list, n, &room), s, &closest, &d)) {
      continue;
    }
    const lanes cosine = lanes_flush(lanes3_dot(h->normal[0], d.normal));
    const lanes inside = lanes_subtract(h->gap[0], lanes_multiply(cosine, d.gap));
    lanes_mask is_it =
        lanes_both(lanes_less(lanes_splat(SAME_FACE), cosine), lanes_less(cosine, lanes_splat(SAME_PLANE)));
    is_it = lanes_both(lanes_both(is_it, lanes_both(which, d.found)), lanes_both(d.is_face, lanes_less(zero, d.gap)));
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

/// Ways through triangles ///

/* The triangles that ways pass, between two shares of them: how many, the first and the last. */
typedef struct surface_pass {
  float low, high;
  lanes count;
  lanes share, depth; /* of the way up to the first, NO_PASS for none; by which its end is behind that [m] */
  lanes3 normal;      /* of the first, on the side where the way begins */
  lanes last;         /* share up to the last */
  lanes3 last_normal; /* on the side where the way ends */
} surface_pass;

#define NO_PASS 2.0f

static surface_pass no_pass(float low, float high) {
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  const surface_pass pass = {.low = low,
                             .high = high,
                             .count = zero,
                             .share = lanes_splat(NO_PASS),
                             .depth = zero,
                             .normal = none,
                             .last = lanes_splat(-1.0f),
                             .last_normal = none};
  return pass;
}

/* Takes into account a triangle that ways may pass. */
CLOTH_INLINE void pass_triangle(const surface_triangle *t, const surface_points *s, surface_pass *pass) {
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  const lanes3 normal = lanes3_splat(t->normal), corner = lanes3_splat(t->corner);
  const lanes3 start = lanes3_flush_below(lanes3_subtract(s->from, corner), STATE_QUANTUM);
  const lanes3 end = lanes3_flush_below(lanes3_subtract(s->to, corner), STATE_QUANTUM);
  const lanes before = lanes_flush_below(lanes3_dot(normal, start), STATE_QUANTUM);
  const lanes after = lanes_flush_below(lanes3_dot(normal, end), STATE_QUANTUM);
  const lanes_mask is_behind = lanes_less(before, zero);
  const lanes beyond = lanes_select(is_behind, s->one_sided ? one : lanes_negate(after), after);
  lanes_mask passes = lanes_less(beyond, zero);
  if (!lanes_any(passes)) {
    return;
  }
  const lanes whole = lanes_select(passes, lanes_subtract(before, after), one);
  const lanes share = lanes_flush(lanes_divide(before, whole));
  const lanes3 way = lanes3_flush_below(lanes3_subtract(s->to, s->from), STATE_QUANTUM);
  const lanes3 at = lanes3_flush_below(lanes3_add_scaled(start, way, share), STATE_QUANTUM);
  lanes excess[3];
  passes = lanes_both(passes, lanes_less(beyond_edges(t, at, excess), lanes_splat(EDGE_TOLERANCE)));
  passes = lanes_both(passes, lanes_less(lanes_splat(pass->low - EDGE_TOLERANCE), share));
  passes = lanes_both(passes, lanes_less(share, lanes_splat(pass->high)));
  const lanes3 side = lanes3_scale(normal, lanes_select(is_behind, lanes_splat(-1.0f), one));
  const lanes_mask is_first = lanes_both(passes, lanes_less(share, pass->share));
  const lanes_mask is_last = lanes_both(passes, lanes_less(pass->last, share));
  pass->count = lanes_add(pass->count, lanes_keep(passes, one));
  pass->share = lanes_select(is_first, share, pass->share);
  pass->depth = lanes_select(is_first, lanes_absolute(after), pass->depth);
  pass->normal = lanes3_select(is_first, lanes3_flush(side), pass->normal);
  pass->last = lanes_select(is_last, share, pass->last);
  pass->last_normal = lanes3_select(is_last, lanes3_flush(lanes3_scale(side, lanes_splat(-1.0f))), pass->last_normal);
}

static void find_passes(const triangle_list *list, const surface_points *s, surface_pass *pass) {
  surface_triangle room;
  for (int32_t n = 0; n < list->count; n++) {
    pass_triangle(listed_triangle(list, n, &room), s, pass);
  }
}

/* A way of one particle is cut until few triangles are near each piece, but not into shorter ones than this share. */
#define LEAST_PIECE 0.0625f

/* The same of one way, whose triangles are listed piece by piece. */
CLOTH_SEPARATE surface_pass find_passes_in_pieces(const cloth_geometry *g, const surface_points *s) {
  const cloth_vector from = lanes3_first(s->from), to = lanes3_first(s->to);
  const cloth_vector way = vector_flush(vector_subtract(to, from), STATE_QUANTUM);
  const cloth_vector around = vector(EDGE_TOLERANCE, EDGE_TOLERANCE, EDGE_TOLERANCE);
  surface_pass pass = no_pass(0.0f, 0.0f);
  float first = 0.0f, piece = 1.0f;
  triangle_list list;
  while (first < 1.0f) {
    const cloth_vector a = vector_flush(vector_add_scaled(from, way, first), STATE_QUANTUM);
    const cloth_vector b = vector_flush(vector_add_scaled(from, way, first + piece), STATE_QUANTUM);
    const cloth_vector low = vector(minimum(a.x, b.x), minimum(a.y, b.y), minimum(a.z, b.z));
    const cloth_vector high = vector(maximum(a.x, b.x), maximum(a.y, b.y), maximum(a.z, b.z));
    list_triangles(&list, g, vector_subtract(low, around), vector_add(high, around));
    if (list.overflows && piece > LEAST_PIECE) {
      piece *= 0.5f;
      continue;
    }
    first += piece;
    pass.high = first < 1.0f ? first : NO_PASS;
    find_passes(&list, s, &pass);
    pass.low = first;
  }
  return pass;
}

/* The vector of the first lane that is chosen, in all lanes. */
static lanes3 lanes3_of_chosen(lanes3 a, lanes_mask which) {
  float values[3][CLOTH_LANES], chosen[CLOTH_LANES];
  const vector_array vectors = {values[0], values[1], values[2]};
  int32_t lane = 0;
  lanes3_store(vectors, 0, a, CLOTH_LANES);
  lanes_store(chosen, lanes_keep(which, lanes_splat(1.0f)));
  while (lane < CLOTH_LANES - 1 && !(chosen[lane] > 0.0f)) {
    lane++;
  }
  return lanes3_splat(vector_load(vectors, lane));
}

/* What ways pass, by a list; of a short one by further lists, for the particle that is chosen. */
static surface_pass find_listed_pass(const triangle_list *list, const surface_points *s, lanes_mask which) {
  surface_points one = *s;
  if (!list->is_short) {
    surface_pass pass = no_pass(0.0f, NO_PASS);
    find_passes(list, s, &pass);
    return pass;
  }
  one.from = lanes3_of_chosen(s->from, which);
  one.to = lanes3_of_chosen(s->to, which);
  return find_passes_in_pieces(list->g, &one);
}

/* Moves the ends of ways, from which the gaps of contacts are. */
static void move_ends(surface_points *s, surface_hits *h, lanes3 by) {
  s->to = lanes3_flush_below(lanes3_add(s->to, by), STATE_QUANTUM);
  s->moved = lanes3_add(s->moved, by);
  for (int32_t f = 0; f < SURFACE_FACES; f++) {
    h->gap[f] = lanes_add(h->gap[f], lanes_flush(lanes3_dot(h->normal[f], by)));
  }
}

/* Adds the triangles that ways pass to the contacts, one after the other, each time moving the ends out to `above` [m].
   Returns 1 in lanes that pass any. */
CLOTH_SEPARATE lanes follow_passes(const triangle_list *list, surface_points *s, lanes_mask which, float above,
                                   surface_hits *h) {
  const lanes one = lanes_splat(1.0f);
  lanes passed = lanes_splat(0.0f);
  for (int32_t n = 0; n < SURFACE_FACES; n++) {
    const surface_pass pass = find_listed_pass(list, s, which);
    const lanes_mask passes = lanes_both(which, lanes_less(pass.share, one));
    if (!lanes_any(passes)) {
      break;
    }
    for (int32_t f = 0; n == 0 && f < SURFACE_FACES; f++) {
      h->gap[f] = lanes_select(passes, lanes_splat(NO_FACE), h->gap[f]);
      h->normal[f] = lanes3_select(passes, lanes3_splat(vector(0.0f, 0.0f, 0.0f)), h->normal[f]);
    }
    add_hits(h, passes, lanes_negate(pass.depth), pass.normal);
    const lanes3 out = lanes3_scale(pass.normal, lanes_add(pass.depth, lanes_splat(above)));
    move_ends(s, h, lanes3_keep(passes, lanes3_flush(out)));
    passed = lanes_select(passes, one, passed);
  }
  return passed;
}

#if WITH_HEIGHT_FIELD

/* Replaces what has been found where points are below the ground, and came there through no triangle. */
CLOTH_SEPARATE void rise_from_ground(const cloth_geometry *g, const surface_points *s, lanes_mask which,
                                     surface_hits *h) {
  float to[3][CLOTH_LANES], normal[3][CLOTH_LANES], gap[CLOTH_LANES], chosen[CLOTH_LANES];
  const vector_array ends = {to[0], to[1], to[2]}, normals = {normal[0], normal[1], normal[2]};
  lanes3_store(ends, 0, s->to, CLOTH_LANES);
  lanes3_store(normals, 0, h->normal[0], CLOTH_LANES);
  lanes_store(gap, h->gap[0]);
  lanes_store(chosen, lanes_keep(which, lanes_splat(1.0f)));
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const cloth_vector p = vector_load(ends, lane);
    surface_search search = start_search(p, p, 0.0f, 0.0f, 1);
    if (chosen[lane] > 0.0f) {
      search_below(g, &search);
    }
    chosen[lane] = search.touches ? 1.0f : 0.0f;
    if (search.touches) {
      gap[lane] = negate(search.penetration);
      vector_store(normals, lane, search.normal);
    }
  }
  const lanes_mask is_below = lanes_less(lanes_splat(0.0f), lanes_load(chosen));
  h->gap[0] = lanes_load(gap);
  h->normal[0] = lanes3_load(normals, 0);
  for (int32_t f = 1; f < SURFACE_FACES; f++) {
    h->gap[f] = lanes_select(is_below, lanes_splat(NO_FACE), h->gap[f]);
  }
}

#endif

/* Lists the triangles within the radius of the particles that are chosen. */
static void list_around(triangle_list *list, const cloth_geometry *g, const surface_points *s, lanes_mask which) {
  const lanes beyond = lanes_splat(NO_FACE);
  const lanes3 around = lanes3_of(s->radius, s->radius, s->radius), none = lanes3_of(beyond, beyond, beyond);
  const position_box box =
      box_of_lanes(lanes3_select(which, lanes3_subtract(s->to, around), none),
                   lanes3_select(which, lanes3_add(s->to, around), lanes3_scale(none, lanes_splat(-1.0f))));
  list_triangles(list, g, box.low, box.high);
}

/* Finds the contacts of a block of particles whose ways have a length. `above`: how far above a triangle that a way
   passes others are looked for [m]. */
CLOTH_SEPARATE void find_hits(triangle_list *list, surface_points *s, lanes length, lanes_mask which, float above,
                              surface_hits *h) {
  const lanes zero = lanes_splat(0.0f), reach = lanes_add(length, lanes_splat(EDGE_TOLERANCE));
  lanes closest = list->is_short ? zero : s->radius, passed = zero;
  triangle_list near = {.g = list->g, .count = 0};
  clear_hits(h);
  s->moved = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  find_next_hit(list, s, which, h, &closest, &near);
  const lanes_mask may_pass = lanes_both(which, lanes_less(closest, reach));
  if (lanes_any(may_pass)) {
    passed = follow_passes(list, s, may_pass, above, h);
  }
  const int moves = lanes_any(lanes_less(zero, passed));
  if (moves && list->is_short) {
    list_around(list, list->g, s, which);
  }
#if WITH_HEIGHT_FIELD
  if (list->g->shape == CLOTH_SHAPE_HEIGHT_FIELD) {
    rise_from_ground(list->g, s, which, h);
  }
#endif
  const lanes_mask more = lanes_both(which, lanes_less(zero, h->gap[0]));
  const triangle_list *others = moves ? list : &near;
  if (others->count > 1) {
    for (int32_t f = 1; f < SURFACE_FACES && find_next_hit(others, s, more, h, &closest, NULL); f++) {
    }
    round_crease(others, s, more, h);
  }
  if (moves) {
    move_ends(s, h, lanes3_scale(s->moved, lanes_splat(-1.0f)));
  }
}

/// One point ///

static surface_points one_point(const cloth_geometry *g, cloth_vector from, cloth_vector to, float radius,
                                float behind) {
  const surface_points s = {.from = lanes3_splat(from),
                            .to = lanes3_splat(to),
                            .moved = lanes3_splat(vector(0.0f, 0.0f, 0.0f)),
                            .radius = lanes_splat(radius),
                            .behind = lanes_splat(behind),
                            .one_sided = has_one_side(g)};
  return s;
}

/* Normals with a dot product below this are on opposite sides of a plate. */
#define OPPOSITE (-0.5f)
/* How often the box is doubled in which a pin's surface is looked for. */
#define DOUBLINGS 12

static int is_in_box(const cloth_geometry *g, cloth_vector p) {
  return p.x >= g->low.x && p.x <= g->high.x && p.y >= g->low.y && p.y <= g->high.y && p.z >= g->low.z &&
         p.z <= g->high.z;
}

/* The distance of a pin from a surface, if it is below `thickness`; of one in a solid below 0: nobody knows how deep it
   is, so the boxes grow that are looked into. */
CLOTH_SEPARATE float distance_from_surface(const cloth_geometry *g, cloth_vector p, float thickness) {
  const lanes_mask all = lanes_first(CLOTH_LANES);
  surface_points s = one_point(g, p, p, thickness, NO_FACE);
  triangle_list list;
  surface_hits hits;
  for (int32_t n = 0; n < DOUBLINGS; n++) {
    lanes closest = s.radius;
    list_around(&list, g, &s, all);
    clear_hits(&hits);
    find_next_hit(&list, &s, all, &hits, &closest, NULL);
#if WITH_HEIGHT_FIELD
    if (g->shape == CLOTH_SHAPE_HEIGHT_FIELD) {
      rise_from_ground(g, &s, all, &hits);
    }
#endif
    const float gap = lanes_first_value(hits.gap[0]);
    if (gap < 0.5f * NO_FACE) {
      return minimum(gap, thickness);
    }
    if (!s.one_sided || list.overflows || !is_in_box(g, p)) {
      break;
    }
    s.radius = lanes_add(s.radius, s.radius);
  }
  return thickness;
}

/* 1 if a way that passes triangles ends on another side of a surface than it begins. One that goes in and comes out
   again has cut a corner, unless it comes out on the opposite side, as of a thin plate. Who begins behind a surface
   with one side may come out. */
static int is_on_other_side(const cloth_geometry *g, const surface_pass *pass, surface_points s) {
  s.one_sided = has_one_side(g);
  if (s.one_sided && lanes_first_value(find_passes_in_pieces(g, &s).share) > lanes_first_value(pass->share)) {
    return 0;
  }
  const cloth_vector normal = lanes3_first(pass->normal), last = lanes3_first(pass->last_normal);
  const int32_t count = (int32_t)lanes_first_value(pass->count);
  const int cuts = count % 2 == 0 && vector_dot(normal, last) > OPPOSITE;
  return !cuts;
}

/* The place in front of a surface that a point behind it is nearest to, or of the triangle that its way passed first.
 */
static cloth_vector place_in_front(const triangle_list *list, const surface_points *s, const surface_pass *pass,
                                   float above) {
  const cloth_vector to = lanes3_first(s->to), normal = lanes3_first(pass->normal);
  lanes closest = s->radius;
  surface_hits hits;
  clear_hits(&hits);
  find_next_hit(list, s, lanes_first(CLOTH_LANES), &hits, &closest, NULL);
  const cloth_vector back = lanes3_first(hits.normal[0]);
  const float gap = lanes_first_value(hits.gap[0]), depth = lanes_first_value(pass->depth);
  if (gap < depth && vector_dot(back, normal) < negate(OPPOSITE)) {
    return vector_add_scaled(to, back, negate(gap + above));
  }
  return vector_add_scaled(to, normal, depth + above);
}

/* Moves the end of a way that is on another side of a surface than its beginning, by more than `most`, in front of it.
   Both ends are in the axes of the surface. Returns 1 if that has moved it. */
CLOTH_SEPARATE int stop_way(const cloth_geometry *g, cloth_vector from, cloth_vector *to, float most, float above) {
  triangle_list list;
  for (int32_t tries = 0; tries < SURFACE_FACES; tries++) {
    surface_points s = one_point(g, from, *to, NO_FACE, NO_FACE);
    s.one_sided = 0;
    const surface_pass pass = find_passes_in_pieces(g, &s);
    if (!(lanes_first_value(pass.share) < 1.0f) || !is_on_other_side(g, &pass, s) ||
        lanes_first_value(pass.depth) < most) {
      return tries > 0;
    }
    s.radius = lanes_splat(lanes_first_value(pass.depth) + above);
    list_around(&list, g, &s, lanes_first(CLOTH_LANES));
    *to = vector_flush(place_in_front(&list, &s, &pass, above), STATE_QUANTUM);
  }
  *to = from;
  return 1;
}

#endif
