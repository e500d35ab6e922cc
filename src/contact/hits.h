#pragma once
#include "body.h"
#include "geometry.h"
#include "memory.h"
#include "shape_surface.h"
#include "triangles.h"

/// Contacts with surfaces ///

/*
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
 * In: lists of triangles, points in their axes. Out: what the functions return. Scratch: row buffers.
 */

/* Most contacts of a particle with a surface. */
#define SURFACE_FACES MOST_FACES
/* Contacts whose normals have a larger dot product are one. */
#define SAME_FACE 0.7f
/* Faces whose normals have a larger dot product are the same plane. */
#define SAME_PLANE 0.9999f

/* The contacts of a particle with a surface: the nearest first; NO_FACE where there are no more. */
typedef struct surface_hits {
  float gap[SURFACE_FACES];
  cloth_vector normal[SURFACE_FACES];
} surface_hits;

/* The triangles near a particle, those near a piece of its way, and its contacts: in the room between passes. */
typedef struct hit_search {
  triangle_list near, piece;
  surface_hits hits;
} hit_search;

static void clear_hits(surface_hits *h) {
  for (int32_t f = 0; f < SURFACE_FACES; f++) {
    h->gap[f] = NO_FACE;
    h->normal[f] = vector(0.0f, 0.0f, 0.0f);
  }
}

static int is_hit(float gap) {
  return gap < 0.5f * NO_FACE;
}

/* Adds a contact behind those that there are. */
static void add_hit(surface_hits *h, float gap, cloth_vector normal) {
  int32_t f = 0;
  while (f < SURFACE_FACES && is_hit(h->gap[f])) {
    f++;
  }
  if (f < SURFACE_FACES) {
    h->gap[f] = gap;
    h->normal[f] = normal;
  }
}

/* Which triangles are contacts of their own beside those found. Behind a face nothing else is one. */
CLOTH_INLINE lanes_mask are_hits_apart(const surface_hits *h, const triangle_distance *d) {
  const lanes one = lanes_splat(1.0f);
  lanes_mask apart = d->found;
  if (is_hit(h->gap[0])) {
    apart = lanes_both(apart, lanes_less(lanes_splat(0.0f), lanes_minimum(d->gap, lanes_splat(h->gap[0]))));
  }
  for (int32_t f = 0; f < SURFACE_FACES - 1 && is_hit(h->gap[f]); f++) {
    const lanes cosine = lanes_flush(lanes3_dot(lanes3_splat(h->normal[f]), d->normal));
    const lanes above = lanes_subtract(lanes_splat(h->gap[f]), lanes_multiply(d->gap, cosine));
    apart = lanes_both(apart, lanes_less(cosine, lanes_splat(SAME_FACE)));
    apart = lanes_both(apart, lanes_less(lanes_splat(ABOVE_PLANE), lanes_select(d->is_face, one, above)));
  }
  return apart;
}

/* Which triangles have a corner above the tangent plane of the nearest contact: what is below nobody meets who is
   above. */
CLOTH_INLINE lanes_mask rise_above(const triangle_lanes *t, const surface_point *s, const surface_hits *h) {
  const lanes3 n = lanes3_splat(h->normal[0]);
  const lanes3 p =
      lanes3_flush_below(lanes3_subtract(triangle_vector(t, TRIANGLE_CORNER), lanes3_splat(s->to)), STATE_QUANTUM);
  const lanes first = lanes3_dot(n, triangle_vector(t, TRIANGLE_EDGES)),
              second = lanes3_dot(n, triangle_vector(t, TRIANGLE_EDGES + 3));
  const lanes rises = lanes_maximum(lanes_maximum(first, second), lanes_splat(0.0f));
  const lanes corner = lanes_add(lanes3_dot(n, p), lanes_splat(h->gap[0]));
  return lanes_less(lanes_splat(ABOVE_PLANE), lanes_add(corner, rises));
}

/* 0 if nothing in a box rises above the tangent plane of the nearest contact. */
static int may_rise(const position_box *box, const surface_point *s, const surface_hits *h) {
  const cloth_vector n = h->normal[0];
  const cloth_vector most = vector(n.x > 0.0f ? box->high.x : box->low.x, n.y > 0.0f ? box->high.y : box->low.y,
                                   n.z > 0.0f ? box->high.z : box->low.z);
  return vector_dot(n, vector_flush_state(vector_subtract(most, s->to))) + h->gap[0] > ABOVE_PLANE - RISE_ROUNDING;
}

/* Whether cells rise above the tangent plane of the nearest contact is told by their highest corners: adds the larger
   of two corners at the same row. */
static float rise_of_side(const float *height, float left, float right, float steep) {
  return maximum(left + steep * height[0], right + steep * height[1]);
}

/* Leaves in a list the cells that may rise above the nearest contact. */
static void keep_rising_cells(triangle_list *list, const surface_point *s, const surface_hits *h) {
  const cloth_geometry *g = list->g;
  const field_window *w = &list->window;
  const cloth_vector n = h->normal[0];
  const float least = ABOVE_PLANE - RISE_ROUNDING - h->gap[0] + n.y * s->to.y;
  int32_t cell = 0;
  for (int32_t row = w->first; row < w->first + w->rows; row++) {
    const float *height = height_at(g, w->left, row);
    const float below = n.z * ((float)row * g->spacing[1] - s->to.z);
    const float above = n.z * ((float)(row + 1) * g->spacing[1] - s->to.z);
    for (int32_t k = 0; k < w->columns; k++, cell++) {
      const float left = n.x * ((float)(w->left + k) * g->spacing[0] - s->to.x);
      const float right = n.x * ((float)(w->left + k + 1) * g->spacing[0] - s->to.x);
      const float first = rise_of_side(height + k, left, right, n.y) + below;
      const float second = rise_of_side(height + k + g->counts[0], left, right, n.y) + above;
      if (!(maximum(first, second) > least)) { list->bits[2 * cell / CHUNK] &= (uint8_t) ~(3u << 2 * cell % CHUNK); }
    }
  }
}

/* Leaves in a list what may be within the radius and rises above the nearest contact. Returns 0 if nothing does. */
CLOTH_SEPARATE int keep_rising(triangle_list *list, const surface_point *s, const surface_hits *h) {
  int any = 0;
  if (!may_rise(&list->box, s, h)) { return 0; }
  if (is_height_field(list->g->shape)) { keep_rising_cells(list, s, h); }
  for (int32_t n = 0; n < list->count; n++) {
    uint32_t rising = 0;
    if (list->bits[n] && list->least[n] < s->radius * s->radius) {
      charge_chunk(list, COST_CHUNK_RISES);
      EACH_TRIANGLE_LANES(list, n, k, near, {
        const triangle_lanes t = listed_triangles(list, n, k);
        rising |= (lanes_bits(rise_above(&t, s, h)) & near) << k;
      });
    }
    list->bits[n] = (uint8_t)rising;
    any |= rising != 0;
  }
  return any;
}

/* The nearest of the triangles that have been looked at. */
typedef struct nearest_hit {
  float size, gap;
  cloth_vector normal;
} nearest_hit;

static void clear_nearest(nearest_hit *best, const surface_point *s) {
  best->size = best->gap = s->radius;
  best->normal = vector(0.0f, 0.0f, 0.0f);
}

/* Takes the nearest of triangles, a bit each, the first of equal ones. */
CLOTH_INLINE void take_nearest(nearest_hit *best, uint32_t bits, const triangle_distance *d) {
  float least[CLOTH_LANES], size[CLOTH_LANES], gap[CLOTH_LANES], normal[3][CLOTH_LANES];
  lanes_store(least, d->least);
  lanes_store(size, d->size);
  lanes_store(gap, d->gap);
  lanes3_store(VECTORS_OF(normal), 0, d->normal, CLOTH_LANES);
  for (; bits; bits &= bits - 1u) {
    const int32_t lane = first_bit(bits);
    if (size[lane] < best->size && least[lane] < best->size * best->size) {
      best->size = size[lane];
      best->gap = gap[lane];
      best->normal = vector_load(VECTORS_OF(normal), lane);
    }
  }
}

/* Which triangles lean to the nearest contact by less than 45 degrees, and are above its tangent plane. */
CLOTH_INLINE lanes_mask do_lean(const surface_hits *h, const triangle_distance *d) {
  const lanes zero = lanes_splat(0.0f);
  const lanes cosine = lanes_flush(lanes3_dot(lanes3_splat(h->normal[0]), d->normal));
  const lanes inside = lanes_subtract(lanes_splat(h->gap[0]), lanes_multiply(cosine, d->gap));
  const lanes_mask leans =
      lanes_both(lanes_less(lanes_splat(SAME_FACE), cosine), lanes_less(cosine, lanes_splat(SAME_PLANE)));
  return lanes_both(lanes_both(leans, d->found), lanes_both(lanes_less(zero, d->gap), lanes_less(zero, inside)));
}

/* The nearest contact beside those found, among triangles whose squared distance may be less than `limit`, of chunks of
   which there is a bit; of size radius, if there is none. `in_crease`: of the faces that meet the first in one. */
CLOTH_SEPARATE void find_nearest(triangle_list *list, const surface_point *s, float limit, uint32_t chunks,
                                 const surface_hits *h, int in_crease, nearest_hit *best) {
  clear_nearest(best, s);
  for (int32_t n = 0; n < list->count && chunks >> n; n++) {
    if (!(chunks >> n & 1u) || !list->bits[n]) { continue; }
    if (in_crease) { charge_chunk(list, COST_CHUNK); } /* whether it is measured or not */
    if (!(list->least[n] < minimum(best->size * best->size, limit))) { continue; }
    if (!in_crease) { charge_chunk(list, COST_CHUNK_NEAREST); }
    EACH_TRIANGLE_LANES(list, n, k, near, {
      const float most = minimum(best->size * best->size, limit);
      triangle_distance d;
      const triangle_lanes t = listed_triangles(list, n, k);
      if (measure_triangles(&t, s, most, !in_crease, &d)) {
        const uint32_t bits = lanes_bits(in_crease ? do_lean(h, &d) : are_hits_apart(h, &d)) & near;
        take_nearest(best, bits, &d);
      }
    });
  }
}

/* Finds the nearest contact of those of a list. Returns a squared distance that nothing is nearer than. */
static float find_nearest_of_all(triangle_list *list, const surface_point *s, const surface_hits *h,
                                 nearest_hit *best) {
  const float most = s->radius * s->radius, least = measure_nearest(list, s).least, about = about_nearest(least);
  clear_nearest(best, s);
  if (least < most) { find_nearest(list, s, about, list->measured, h, 0, best); }
  if (least < most && !(best->size * best->size < about)) { find_nearest(list, s, most, ALL_CHUNKS, h, 0, best); }
  return least;
}

/* The same of a height field among cells that are no farther away than the ground below or above. */
CLOTH_SEPARATE float find_nearest_ground(triangle_list *list, const surface_point *s, const surface_hits *h,
                                         nearest_hit *best) {
  const field_window window = list->window;
  const float radius = ABOUT_NEAREST * distance_along_y(list->g, s->to) + RISE_ROUNDING;
  if (list->count > 0 && radius < s->radius) {
    const position_box box = box_between(s->to, s->to, radius);
    const field_window near = window_around(list->g, &box);
    list_window(list, &near);
    const float least = find_nearest_of_all(list, s, h, best);
    list_window(list, &window);
    if (best->size < radius) { return least; }
  }
  return find_nearest_of_all(list, s, h, best);
}

/* Finds the nearest contact, and adds it. Returns a squared distance that nothing is nearer than. */
static float find_first_hit(triangle_list *list, const surface_point *s, surface_hits *h) {
  nearest_hit best;
  const float least =
      is_height_field(list->g->shape) ? find_nearest_ground(list, s, h, &best) : find_nearest_of_all(list, s, h, &best);
  if (best.size < s->radius) { add_hit(h, best.gap, best.normal); }
  return least;
}

/* Rounds creases: turns the nearest contact towards the nearest other face that leans to it by less than 45 degrees, by
   w / 2 with w = (g_0 - c g) / ((1 - c) g), which is 0 where that face begins and 1 where both are equally near. */
static void round_crease(triangle_list *list, const surface_point *s, surface_hits *h) {
  nearest_hit other;
  find_nearest(list, s, s->radius * s->radius, ALL_CHUNKS, h, 1, &other);
  if (!(other.size < s->radius)) { return; }
  const float cosine = flush_work(vector_dot(h->normal[0], other.normal));
  const float w = minimum((h->gap[0] - cosine * other.gap) / ((1.0f - cosine) * other.gap), 1.0f);
  const float second = 0.5f * w, first = 1.0f - second;
  const cloth_vector sum =
      vector_flush_work(vector_add(vector_scale(h->normal[0], first), vector_scale(other.normal, second)));
  const float length = maximum(vector_length(sum), 0.5f);
  h->gap[0] = (first * h->gap[0] + second * other.gap) / length;
  h->normal[0] = vector_scale_work(sum, 1.0f / length);
}

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
  lanes_store(share, at->share);
  lanes_store(depth, at->depth);
  lanes3_store(VECTORS_OF(normal), 0, at->normal, CLOTH_LANES);
  for (; bits; bits &= bits - 1u) {
    const int32_t lane = first_bit(bits);
    const cloth_vector side = vector_load(VECTORS_OF(normal), lane);
    pass->count++;
    if (share[lane] < pass->share) {
      pass->share = share[lane];
      pass->depth = depth[lane];
      pass->normal = vector_flush_work(side);
    }
    if (pass->last < share[lane]) {
      pass->last = share[lane];
      pass->last_normal = vector_scale_work(side, -1.0f);
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
  const cloth_vector way = vector_flush_state(vector_subtract(s->to, s->from));
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
  const cloth_vector way = vector_flush_state(vector_subtract(s->to, s->from));
  float first = 0.0f, piece = 1.0f;
  clear_pass(pass, 0.0f, 0.0f);
  open_list(list);
  while (first < 1.0f) {
    const cloth_vector a = vector_flush_state(vector_add_scaled(s->from, way, first));
    const cloth_vector b = vector_flush_state(vector_add_scaled(s->from, way, first + piece));
    const position_box box = box_between(vector_minimum(a, b), vector_maximum(a, b), EDGE_TOLERANCE);
    list_triangles(list, g, &box);
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
  s->to = vector_flush_state(vector_add(s->to, by));
  s->moved = vector_add(s->moved, by);
  for (int32_t f = 0; f < SURFACE_FACES; f++) {
    h->gap[f] += flush_work(vector_dot(h->normal[f], by));
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
    move_end(s, h, vector_scale_work(pass.normal, pass.depth + above));
    passed = 1;
  }
  return passed;
}

/* Replaces what has been found where a point is below the ground, and came there through no triangle. */
static void rise_from_ground(const cloth_geometry *g, const surface_point *s, surface_hits *h) {
  cloth_vector up;
  const float depth = depth_below_ground(g, s->to, &up);
  if (depth > 0.0f) {
    clear_hits(h);
    add_hit(h, negate(depth), up);
  }
}

/* Lists the triangles within the radius of a particle. */
static void list_around(triangle_list *list, const cloth_geometry *g, const surface_point *s) {
  const position_box box = box_between(s->to, s->to, s->radius);
  list_triangles(list, g, &box);
}

/* Finds what touches a particle beside the nearest contact, which is in front of it. */
static void find_more_hits(triangle_list *list, const surface_point *s, surface_hits *h) {
  if (!keep_rising(list, s, h)) { return; }
  for (int32_t f = 1; f < SURFACE_FACES; f++) {
    nearest_hit best;
    find_nearest(list, s, s->radius * s->radius, ALL_CHUNKS, h, 0, &best);
    if (!(best.size < s->radius)) { break; }
    add_hit(h, best.gap, best.normal);
  }
  round_crease(list, s, h);
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
  if (is_height_field(list->g->shape)) { rise_from_ground(list->g, s, h); }
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
  return p.x >= g->box.low.x && p.x <= g->box.high.x && p.y >= g->box.low.y && p.y <= g->box.high.y &&
         p.z >= g->box.low.z && p.z <= g->box.high.z;
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
    if (is_height_field(g->shape)) { rise_from_ground(g, &s, h); }
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
    *to = vector_flush_state(place_in_front(search, &s, &pass, above));
    *work += search->near.work;
  }
  *to = from;
  return 1;
}
