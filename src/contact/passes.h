#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/costs.h"
#include "body.h"
#include "hits.h"
#include "shape_field.h"
#include "triangle.h"
#include "triangles.h"

/// Ways through triangles ///

/*
 * A way that passes a triangle is held by it, on the side where the way began: its plane is the contact, as the tangent
 * where the way comes near is that of other colliders. From a place in front of it further contacts are looked for.
 *
 * What has passed nevertheless is put in front of what it passed, unless its way goes in and out again on much the same
 * side: then it has cut a corner.
 *
 * In: geometries, ways in their axes. Out: what the functions return. Scratch: row buffers.
 */

#if WITH_SURFACES

/* A path that passes an edge by no more than this passes through the triangle: the gap that rounding leaves between
   triangles that share an edge [m]. */
#define EDGE_TOLERANCE 1.0e-5f

/* The triangles that a way passes, between two shares of it: how many, the first and the last. */
typedef struct surface_pass {
  float low, high;
  int32_t count;
  float share, depth;       /* of the way up to the first, NO_PASS for none; by which its end is behind that [m] */
  cloth_vector normal;      /* of the first, on the side where the way begins */
  float last;               /* share up to the last */
  cloth_vector last_normal; /* on the side where the way ends */
  uint32_t work;            /* of lists for pieces of the way */
} surface_pass;

#define NO_PASS 2.0f

static void clear_pass(surface_pass *pass, float low, float high) {
  fill_zero(pass, sizeof *pass);
  pass->low = low;
  pass->high = high;
  pass->share = NO_PASS;
  pass->last = -1.0f;
}

/* Where a way passes the planes of triangles. */
typedef struct plane_passes {
  lanes share, depth; /* see surface_pass */
  lanes3 normal;
} plane_passes;

/* Takes triangles into account that a way passes, a bit each. */
CLOTH_SEPARATE void take_passes(surface_pass *pass, uint32_t bits, const plane_passes *at) {
  float share[CLOTH_LANES], depth[CLOTH_LANES], normal[3][CLOTH_LANES];
  const vector_array normals = {normal[0], normal[1], normal[2]};
  lanes_store(share, at->share);
  lanes_store(depth, at->depth);
  lanes3_store(normals, 0, at->normal, CLOTH_LANES);
  for (; bits; bits &= bits - 1u) {
    const int32_t lane = first_bit(bits);
    const cloth_vector side = vector_load(normals, lane);
    pass->count++;
    if (share[lane] < pass->share) {
      pass->share = share[lane];
      pass->depth = depth[lane];
      pass->normal = vector_flush_work(side);
    }
    if (pass->last < share[lane]) {
      pass->last = share[lane];
      pass->last_normal = vector_flush_work(vector_scale(side, -1.0f));
    }
  }
}

/* Takes triangles into account that a way may pass; `near`: a bit each. */
CLOTH_INLINE void pass_triangles(const triangle_lanes *t, uint32_t near, const surface_point *s, surface_pass *pass) {
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  const lanes3 start = from_corners(t, s->from);
  const lanes before = above_planes(t, start), after = above_planes(t, from_corners(t, s->to));
  const lanes_mask is_behind = lanes_less(before, zero);
  const lanes beyond = lanes_select(is_behind, s->one_sided ? one : lanes_negate(after), after);
  lanes_mask passes = lanes_less(beyond, zero);
  if (!lanes_any(passes)) { return; }
  plane_passes at;
  const lanes whole = lanes_select(passes, lanes_subtract(before, after), one);
  at.share = lanes_flush(lanes_divide(before, whole));
  at.depth = lanes_absolute(after);
  at.normal = lanes3_scale(triangle_vector(t, TRIANGLE_NORMAL), lanes_select(is_behind, lanes_splat(-1.0f), one));
  const cloth_vector way = vector_flush(vector_subtract(s->to, s->from), STATE_QUANTUM);
  const lanes3 place = lanes3_flush_below(lanes3_add_scaled(start, lanes3_splat(way), at.share), STATE_QUANTUM);
  lanes excess[3];
  passes = lanes_both(passes, lanes_less(beyond_edges(t, place, excess), lanes_splat(EDGE_TOLERANCE)));
  passes = lanes_both(passes, lanes_less(lanes_splat(pass->low - EDGE_TOLERANCE), at.share));
  passes = lanes_both(passes, lanes_less(at.share, lanes_splat(pass->high)));
  const uint32_t bits = lanes_bits(passes) & near;
  if (bits) { take_passes(pass, bits, &at); }
}

CLOTH_SEPARATE void find_passes(triangle_list *list, const surface_point *s, surface_pass *pass) {
  for (int32_t n = 0; n < list->count; n++) {
    charge_chunk(list, COST_CHUNK_NEAREST);
    EACH_TRIANGLE_LANES(list, n, k, near, {
      const triangle_lanes t = listed_triangles(list, n, k);
      pass_triangles(&t, near, s, pass);
    });
  }
}

/* A way of one particle is cut until few triangles are near each piece, but not into shorter ones than this share. */
#define LEAST_PIECE 0.0625f

/* The same of a way whose triangles are listed piece by piece. */
CLOTH_SEPARATE void find_passes_in_pieces(triangle_list *list, const cloth_geometry *g, const surface_point *s,
                                          surface_pass *pass) {
  const cloth_vector way = vector_flush(vector_subtract(s->to, s->from), STATE_QUANTUM);
  const cloth_vector around = vector(EDGE_TOLERANCE, EDGE_TOLERANCE, EDGE_TOLERANCE);
  float first = 0.0f, piece = 1.0f;
  clear_pass(pass, 0.0f, 0.0f);
  open_list(list);
  while (first < 1.0f) {
    const cloth_vector a = vector_flush(vector_add_scaled(s->from, way, first), STATE_QUANTUM);
    const cloth_vector b = vector_flush(vector_add_scaled(s->from, way, first + piece), STATE_QUANTUM);
    const cloth_vector low = vector(minimum(a.x, b.x), minimum(a.y, b.y), minimum(a.z, b.z));
    const cloth_vector high = vector(maximum(a.x, b.x), maximum(a.y, b.y), maximum(a.z, b.z));
    list_triangles(list, g, vector_subtract(low, around), vector_add(high, around));
    if (list->overflows && piece > LEAST_PIECE) {
      pass->work += list->work;
      piece *= 0.5f;
      continue;
    }
    first += piece;
    pass->high = first < 1.0f ? first : NO_PASS;
    find_passes(list, s, pass);
    pass->work += list->work;
    pass->low = first;
  }
}

/* What a way passes, by the list of what is near; of a short one by further lists. */
static void find_listed_pass(hit_search *search, const surface_point *s, surface_pass *pass) {
  if (search->near.is_short) {
    find_passes_in_pieces(&search->piece, search->near.g, s, pass);
    return;
  }
  clear_pass(pass, 0.0f, NO_PASS);
  find_passes(&search->near, s, pass);
}

/* Moves the end of a way, from which the gaps of contacts are. */
static void move_end(surface_point *s, surface_hits *h, cloth_vector by) {
  s->to = vector_flush(vector_add(s->to, by), STATE_QUANTUM);
  s->moved = vector_add(s->moved, by);
  for (int32_t f = 0; f < SURFACE_FACES; f++) {
    h->gap[f] += flush_small(vector_dot(h->normal[f], by), WORK_QUANTUM);
  }
}

/* Adds the triangles that a way passes to the contacts, one after the other, each time moving its end out to `above`
   [m]. Returns 1 if it passes any. */
CLOTH_SEPARATE int follow_passes(hit_search *search, surface_point *s, float above) {
  surface_hits *h = &search->hits;
  int passed = 0;
  for (int32_t n = 0; n < SURFACE_FACES; n++) {
    surface_pass pass;
    find_listed_pass(search, s, &pass);
    s->work += pass.work;
    if (!(pass.share < 1.0f)) { break; }
    if (n == 0) { clear_hits(h); }
    add_hit(h, negate(pass.depth), pass.normal);
    move_end(s, h, vector_flush_work(vector_scale(pass.normal, pass.depth + above)));
    passed = 1;
  }
  return passed;
}

#if WITH_HEIGHT_FIELD

/* Replaces what has been found where a point is below the ground, and came there through no triangle. */
static void rise_from_ground(const cloth_geometry *g, const surface_point *s, surface_hits *h) {
  cloth_vector up;
  const float depth = depth_below_ground(g, s->to, &up);
  if (depth > 0.0f) {
    clear_hits(h);
    add_hit(h, negate(depth), up);
  }
}

#endif

/* Lists the triangles within the radius of a particle. */
static void list_around(triangle_list *list, const cloth_geometry *g, const surface_point *s) {
  const cloth_vector around = vector(s->radius, s->radius, s->radius);
  list_triangles(list, g, vector_subtract(s->to, around), vector_add(s->to, around));
}

/* Finds what touches a particle beside the nearest contact, which is in front of it. */
static void find_more_hits(triangle_list *list, const surface_point *s, surface_hits *h) {
  if (keep_rising(list, s, h)) {
    for (int32_t f = 1; f < SURFACE_FACES && find_next_hit(list, s, h); f++) {}
    round_crease(list, s, h);
  }
}

/* Finds the contacts of a particle whose way has a length. `above`: how far above a triangle that the way passes others
   are looked for [m]. */
CLOTH_SEPARATE void find_hits(hit_search *search, surface_point *s, float length, float above) {
  triangle_list *list = &search->near;
  surface_hits *h = &search->hits;
  const float reach = length + EDGE_TOLERANCE;
  int moves = 0;
  clear_hits(h);
  s->moved = vector(0.0f, 0.0f, 0.0f);
  const float least = find_first_hit(list, s, h);
  if (list->is_short || least < reach * reach) { moves = follow_passes(search, s, above); }
  if (moves && list->is_short) { list_around(list, list->g, s); }
#if WITH_HEIGHT_FIELD
  if (list->g->shape == CLOTH_SHAPE_HEIGHT_FIELD) { rise_from_ground(list->g, s, h); }
#endif
  if (is_hit(h->gap[0]) && h->gap[0] > 0.0f) {
    for (int32_t n = 0; n < list->count && moves; n++) {
      list->least[n] = 0.0f; /* for another place */
    }
    find_more_hits(list, s, h);
  }
  if (moves) { move_end(s, h, vector_subtract(vector(0.0f, 0.0f, 0.0f), s->moved)); }
}

/// One point ///

/* Sets the way of one point, which triangles with one side hold however far it is behind them. */
static void set_way(surface_point *s, cloth_vector from, cloth_vector to, float radius, int32_t one_sided) {
  s->from = from;
  s->to = to;
  s->radius = radius;
  s->behind = NO_FACE;
  s->one_sided = one_sided;
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
CLOTH_SEPARATE float distance_from_surface(hit_search *search, const cloth_geometry *g, cloth_vector p,
                                           float thickness) {
  triangle_list *list = &search->near;
  surface_hits *h = &search->hits;
  surface_point s;
  set_way(&s, p, p, thickness, has_one_side(g));
  open_list(list);
  for (int32_t n = 0; n < DOUBLINGS; n++) {
    list_around(list, g, &s);
    clear_hits(h);
    find_first_hit(list, &s, h);
#if WITH_HEIGHT_FIELD
    if (g->shape == CLOTH_SHAPE_HEIGHT_FIELD) { rise_from_ground(g, &s, h); }
#endif
    if (is_hit(h->gap[0])) { return minimum(h->gap[0], thickness); }
    if (!s.one_sided || list->overflows || !is_in_box(g, p)) { break; }
    s.radius += s.radius;
  }
  return thickness;
}

/* 1 if a way that passes triangles ends on another side of a surface than it begins. One that goes in and comes out
   again has cut a corner, unless it comes out on the opposite side, as of a thin plate. Who begins behind a surface
   with one side may come out. */
CLOTH_ONCE int is_on_other_side(triangle_list *list, const cloth_geometry *g, surface_pass *pass, surface_point *s) {
  if (has_one_side(g)) {
    surface_pass in_front;
    s->one_sided = 1;
    find_passes_in_pieces(list, g, s, &in_front);
    s->one_sided = 0;
    pass->work += in_front.work;
    if (in_front.share > pass->share) { return 0; }
  }
  const int cuts = pass->count % 2 == 0 && vector_dot(pass->normal, pass->last_normal) > OPPOSITE;
  return !cuts;
}

/* The place in front of a surface that a point behind it is nearest to, or of the triangle that its way passed first.
 */
static cloth_vector place_in_front(hit_search *search, const surface_point *s, const surface_pass *pass, float above) {
  surface_hits *h = &search->hits;
  clear_hits(h);
  find_first_hit(&search->near, s, h);
  if (h->gap[0] < pass->depth && vector_dot(h->normal[0], pass->normal) < negate(OPPOSITE)) {
    return vector_add_scaled(s->to, h->normal[0], negate(h->gap[0] + above));
  }
  return vector_add_scaled(s->to, pass->normal, pass->depth + above);
}

/* Moves the end of a way that is on another side of a surface than its beginning, by more than `most`, in front of it.
   Both ends are in the axes of the surface. *work: of the lists. Returns 1 if that has moved it. */
CLOTH_SEPARATE int stop_way(hit_search *search, const cloth_geometry *g, cloth_vector from, cloth_vector *to,
                            float most, float above, uint32_t *work) {
  open_list(&search->near);
  *work = 0;
  for (int32_t tries = 0; tries < SURFACE_FACES; tries++) {
    surface_point s;
    surface_pass pass;
    set_way(&s, from, *to, NO_FACE, 0);
    find_passes_in_pieces(&search->piece, g, &s, &pass);
    const int stops = pass.share < 1.0f && is_on_other_side(&search->piece, g, &pass, &s) && !(pass.depth < most);
    *work += pass.work;
    if (!stops) { return tries > 0; }
    s.radius = pass.depth + above;
    list_around(&search->near, g, &s);
    *to = vector_flush(place_in_front(search, &s, &pass, above), STATE_QUANTUM);
    *work += search->near.work;
  }
  *to = from;
  return 1;
}

#endif
