#pragma once
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../shape_field.h"
#include "../step_origin.h"
#include "../triangle.h"
#include "body.h"
#include "triangles.h"

/// Ways through triangles ///

/*
 * A way that passes a triangle is held by it, on the side where the way began: its plane is the contact, as the tangent
 * where the way comes near is that of other colliders. From a place in front of it further contacts are looked for.
 *
 * What has passed nevertheless is put in front of what it passed, unless its way goes in and out again on much the same
 * side: then it has cut a corner.
 *
 * In: geometries, ways in their axes. Out: what the functions return. Scratch: none.
 */

#if WITH_SURFACES

/* A path that passes an edge by no more than this passes through the triangle: the gap that rounding leaves between
   triangles that share an edge [m]. */
#define EDGE_TOLERANCE 1.0e-5f

/* The triangles that ways pass, between two shares of them: how many, the first and the last. */
typedef struct surface_pass {
  float low, high;
  lanes count;
  lanes share, depth; /* of the way up to the first, NO_PASS for none; by which its end is behind that [m] */
  lanes3 normal;      /* of the first, on the side where the way begins */
  lanes last;         /* share up to the last */
  lanes3 last_normal; /* on the side where the way ends */
  uint32_t work;      /* of measuring triangles, and of lists for pieces of the way */
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
    pass.work += list_work(&list, 1);
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
    pass.work = measuring_work(list, CLOTH_LANES);
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
    s->work += pass.work;
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
    cloth_vector up;
    const float depth = chosen[lane] > 0.0f ? depth_below_ground(g, vector_load(ends, lane), &up) : 0.0f;
    chosen[lane] = depth > 0.0f ? 1.0f : 0.0f;
    if (depth > 0.0f) {
      gap[lane] = negate(depth);
      vector_store(normals, lane, up);
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
  find_next_hit(list, s, which, h, &closest, 1, &near);
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
  const lanes_mask more = lanes_both(lanes_both(which, is_hit(h->gap[0])), lanes_less(zero, h->gap[0]));
  if (moves) {
    near = *list; /* which is that of other particles, too */
  }
  if (near.count > 1) {
    keep_rising(&near, s, more, h);
  }
  if (near.count > 0) {
    for (int32_t f = 1; f < SURFACE_FACES && find_next_hit(&near, s, more, h, &closest, 0, NULL); f++) {
    }
    round_crease(&near, s, more, h);
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
    find_next_hit(&list, &s, all, &hits, &closest, 1, NULL);
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
static int is_on_other_side(const cloth_geometry *g, surface_pass *pass, surface_points s) {
  s.one_sided = has_one_side(g);
  if (s.one_sided) {
    const surface_pass in_front = find_passes_in_pieces(g, &s);
    pass->work += in_front.work;
    if (lanes_first_value(in_front.share) > lanes_first_value(pass->share)) {
      return 0;
    }
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
  find_next_hit(list, s, lanes_first(CLOTH_LANES), &hits, &closest, 1, NULL);
  const cloth_vector back = lanes3_first(hits.normal[0]);
  const float gap = lanes_first_value(hits.gap[0]), depth = lanes_first_value(pass->depth);
  if (gap < depth && vector_dot(back, normal) < negate(OPPOSITE)) {
    return vector_add_scaled(to, back, negate(gap + above));
  }
  return vector_add_scaled(to, normal, depth + above);
}

/* Moves the end of a way that is on another side of a surface than its beginning, by more than `most`, in front of it.
   Both ends are in the axes of the surface. *work: of the lists. Returns 1 if that has moved it. */
CLOTH_SEPARATE int stop_way(const cloth_geometry *g, cloth_vector from, cloth_vector *to, float most, float above,
                            uint32_t *work) {
  triangle_list list;
  *work = 0;
  for (int32_t tries = 0; tries < SURFACE_FACES; tries++) {
    surface_points s = one_point(g, from, *to, NO_FACE, NO_FACE);
    s.one_sided = 0;
    surface_pass pass = find_passes_in_pieces(g, &s);
    const int stops = lanes_first_value(pass.share) < 1.0f && is_on_other_side(g, &pass, s) &&
                      !(lanes_first_value(pass.depth) < most);
    *work += pass.work;
    if (!stops) {
      return tries > 0;
    }
    s.radius = lanes_splat(lanes_first_value(pass.depth) + above);
    list_around(&list, g, &s, lanes_first(CLOTH_LANES));
    *work += list_work(&list, 1);
    *to = vector_flush(place_in_front(&list, &s, &pass, above), STATE_QUANTUM);
  }
  *to = from;
  return 1;
}

#endif
