#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/arrays.h"
#include "../cloth/costs.h"
#include "../cloth/types.h"
#include "geometry.h"
#include "memory.h"
#include "shape_field.h"
#include "triangle.h"
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

#if WITH_SURFACES

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

static hit_search *hit_search_of(const cloth *c) {
  return (hit_search *)room_between_passes(c);
}

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
  return vector_dot(n, vector_flush(vector_subtract(most, s->to), STATE_QUANTUM)) + h->gap[0] >
         ABOVE_PLANE - RISE_ROUNDING;
}

#if WITH_HEIGHT_FIELD

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
    const float *height = (const float *)geometry_data(g, g->data) + row * g->counts[0] + w->left;
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

#endif

/* Leaves in a list what may be within the radius and rises above the nearest contact. Returns 0 if nothing does. */
CLOTH_SEPARATE int keep_rising(triangle_list *list, const surface_point *s, const surface_hits *h) {
  int any = 0;
  if (!may_rise(&list->box, s, h)) { return 0; }
#if WITH_HEIGHT_FIELD
  if (list->g->shape == CLOTH_SHAPE_HEIGHT_FIELD) { keep_rising_cells(list, s, h); }
#endif
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
  const vector_array normals = {normal[0], normal[1], normal[2]};
  lanes_store(least, d->least);
  lanes_store(size, d->size);
  lanes_store(gap, d->gap);
  lanes3_store(normals, 0, d->normal, CLOTH_LANES);
  for (; bits; bits &= bits - 1u) {
    const int32_t lane = first_bit(bits);
    if (size[lane] < best->size && least[lane] < best->size * best->size) {
      best->size = size[lane];
      best->gap = gap[lane];
      best->normal = vector_load(normals, lane);
    }
  }
}

/* The nearest contact beside those found, among triangles whose squared distance may be less than `limit`, of chunks of
   which there is a bit; of size radius, if there is none. */
CLOTH_SEPARATE void find_nearest(triangle_list *list, const surface_point *s, float limit, uint32_t chunks,
                                 const surface_hits *h, nearest_hit *best) {
  clear_nearest(best, s);
  for (int32_t n = 0; n < list->count && chunks >> n; n++) {
    if (!(chunks >> n & 1u) || !list->bits[n] || !(list->least[n] < minimum(best->size * best->size, limit))) {
      continue;
    }
    charge_chunk(list, COST_CHUNK_NEAREST);
    EACH_TRIANGLE_LANES(list, n, k, near, {
      const float most = minimum(best->size * best->size, limit);
      triangle_distance d;
      const triangle_lanes t = listed_triangles(list, n, k);
      if (measure_triangles(&t, s, most, 1, &d)) {
        const uint32_t bits = lanes_bits(are_hits_apart(h, &d)) & near;
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
  if (least < most) { find_nearest(list, s, about, list->measured, h, best); }
  if (least < most && !(best->size * best->size < about)) { find_nearest(list, s, most, ALL_CHUNKS, h, best); }
  return least;
}

#if WITH_HEIGHT_FIELD

/* The same of a height field among cells that are no farther away than the ground below or above. */
CLOTH_SEPARATE float find_nearest_ground(triangle_list *list, const surface_point *s, const surface_hits *h,
                                         nearest_hit *best) {
  const field_window window = list->window;
  const float radius = ABOUT_NEAREST * distance_along_y(list->g, s->to) + RISE_ROUNDING;
  if (list->count > 0 && radius < s->radius) {
    const cloth_vector around = vector(radius, radius, radius);
    const field_window near = window_around(list->g, vector_subtract(s->to, around), vector_add(s->to, around));
    list_window(list, &near);
    const float least = find_nearest_of_all(list, s, h, best);
    list_window(list, &window);
    if (best->size < radius) { return least; }
  }
  return find_nearest_of_all(list, s, h, best);
}

#endif

/* Finds the nearest contact, and adds it. Returns a squared distance that nothing is nearer than. */
static float find_first_hit(triangle_list *list, const surface_point *s, surface_hits *h) {
  nearest_hit best;
#if WITH_HEIGHT_FIELD
  const int is_field = list->g->shape == CLOTH_SHAPE_HEIGHT_FIELD;
  const float least = is_field ? find_nearest_ground(list, s, h, &best) : find_nearest_of_all(list, s, h, &best);
#else
  const float least = find_nearest_of_all(list, s, h, &best);
#endif
  if (best.size < s->radius) { add_hit(h, best.gap, best.normal); }
  return least;
}

/* Finds the nearest contact beside those found, and adds it. Returns 1 if there is any. */
static int find_next_hit(triangle_list *list, const surface_point *s, surface_hits *h) {
  nearest_hit best;
  find_nearest(list, s, s->radius * s->radius, ALL_CHUNKS, h, &best);
  if (best.size < s->radius) { add_hit(h, best.gap, best.normal); }
  return best.size < s->radius;
}

/* The other face of a crease. */
typedef struct crease {
  float gap, share;
  cloth_vector normal;
} crease;

/* Takes the nearest of the faces of creases, a bit each. */
CLOTH_INLINE void take_crease(crease *c, uint32_t bits, const triangle_distance *d, lanes cosine, lanes inside) {
  float least[CLOTH_LANES], gap[CLOTH_LANES], cosines[CLOTH_LANES], insides[CLOTH_LANES], normal[3][CLOTH_LANES];
  const vector_array normals = {normal[0], normal[1], normal[2]};
  lanes_store(least, d->least);
  lanes_store(gap, d->gap);
  lanes_store(cosines, cosine);
  lanes_store(insides, inside);
  lanes3_store(normals, 0, d->normal, CLOTH_LANES);
  for (; bits; bits &= bits - 1u) {
    const int32_t lane = first_bit(bits);
    if (gap[lane] < c->gap && least[lane] < c->gap * c->gap) {
      c->gap = gap[lane];
      c->share = minimum(insides[lane] / ((1.0f - cosines[lane]) * gap[lane]), 1.0f);
      c->normal = vector_load(normals, lane);
    }
  }
}

/* The nearest face of a list that leans to the nearest contact by less than 45 degrees. */
CLOTH_SEPARATE crease find_crease(triangle_list *list, const surface_point *s, const surface_hits *h) {
  const lanes zero = lanes_splat(0.0f);
  crease c = {s->radius, 0.0f, h->normal[0]};
  for (int32_t n = 0; n < list->count; n++) {
    if (!list->bits[n]) { continue; }
    charge_chunk(list, COST_CHUNK);
    EACH_TRIANGLE_LANES(list, n, k, near, {
      triangle_distance d;
      if (!(list->least[n] < c.gap * c.gap)) { break; }
      const triangle_lanes t = listed_triangles(list, n, k);
      if (!measure_triangles(&t, s, c.gap * c.gap, 0, &d)) { continue; }
      const lanes cosine = lanes_flush(lanes3_dot(lanes3_splat(h->normal[0]), d.normal));
      const lanes inside = lanes_subtract(lanes_splat(h->gap[0]), lanes_multiply(cosine, d.gap));
      lanes_mask is_it =
          lanes_both(lanes_less(lanes_splat(SAME_FACE), cosine), lanes_less(cosine, lanes_splat(SAME_PLANE)));
      is_it = lanes_both(lanes_both(is_it, d.found), lanes_both(lanes_less(zero, d.gap), lanes_less(zero, inside)));
      take_crease(&c, lanes_bits(is_it) & near, &d, cosine, inside);
    });
  }
  return c;
}

/* Rounds creases: turns the nearest contact towards the nearest other face that leans to it by less than 45 degrees, by
   w / 2 with w = (g_0 - c g) / ((1 - c) g), which is 0 where that face begins and 1 where both are equally near. */
static void round_crease(triangle_list *list, const surface_point *s, surface_hits *h) {
  const crease c = find_crease(list, s, h);
  if (!(c.share > 0.0f)) { return; }
  const float second = 0.5f * c.share, first = 1.0f - second;
  const cloth_vector sum =
      vector_flush_work(vector_add(vector_scale(h->normal[0], first), vector_scale(c.normal, second)));
  const float length = maximum(vector_length(sum), 0.5f);
  h->gap[0] = (first * h->gap[0] + second * c.gap) / length;
  h->normal[0] = vector_flush_work(vector_scale(sum, 1.0f / length));
}

#endif
