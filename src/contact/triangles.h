#pragma once
#include "geometry.h"
#include "shape_surface.h"

/// Triangles near particles ///

/*
 * Meshes and height fields are surfaces: triangles without a distance that has a sign. A particle meets the triangles
 * near it, on the side on which its way begins; those with one side, of closed meshes and the ground, on that side.
 *
 * Triangles are measured in chunks, a lane each, for one particle at a time: those near a particle are few, and others
 * than those near its neighbours.
 *
 * In: geometries, points in their axes. Out: what the functions return. Scratch: none.
 */

/* Triangles of a chunk: of a leaf of a mesh. */
#define CHUNK MESH_CHILDREN
#define ALL_OF_CHUNK ((1u << CHUNK) - 1u)
/* Most chunks that are listed for a particle; and most cells of a height field, of two triangles each. */
#define MOST_CHUNKS 32
#define ALL_CHUNKS 0xffffffffu
#define MOST_CELLS (MOST_CHUNKS * CHUNK / 2)
/* By how much an edge that is a contact of its own is above the tangent planes of others [m]. */
#define ABOVE_PLANE 1.0e-5f
/* What rounding may take from that [m]. */
#define RISE_ROUNDING 1.0e-6f
/* No gap [m], as FAR_GAP of touches; nor a squared distance. */
#define NO_FACE 1.0e9f
/* The nearest triangle is looked for among those whose least squared distance is at most this factor of the smallest,
   and a little more [m^2], first. */
#define ABOUT_NEAREST 1.001f
#define ABOUT_NOTHING 1.0e-10f

/* Triangles near a particle, in chunks. */
typedef struct triangle_list {
  const cloth_geometry *g;
  int32_t count;
  int32_t overflows;         /* 1: there are more */
  int32_t is_short;          /* 1: of what is near the end of the way alone */
  uint32_t work;             /* see costs.h */
  position_box box;          /* around all triangles [m] */
  uint32_t measured;         /* of which chunks measure_nearest() has measured the triangles, a bit each */
  float least[MOST_CHUNKS];  /* no triangle of each is nearer: its squared distance [m^2] */
  int32_t leaf[MOST_CHUNKS]; /* of a mesh */
  uint8_t bits[MOST_CHUNKS]; /* which of its triangles are near */
  field_window window;       /* of a height field */
  int32_t made;              /* number of the first triangle in the room, -1 for none, ... */
  field_window made_in;      /* ... in this window */
  float room[TRIANGLE_FLOATS * CLOTH_LANES]; /* for triangles of a height field, which are made there */
} triangle_list;

/* Begins to use a list: nothing has been made in its room. */
static void open_list(triangle_list *list) {
  list->made = -1;
}

static void clear_list(triangle_list *list, const cloth_geometry *g) {
  list->g = g;
  list->count = list->overflows = list->is_short = 0;
  list->work = list->measured = 0;
  list->box = g->box;
}

/* Adds a chunk with some triangles, a bit each. Returns 0 if there is no room. */
static int add_chunk(triangle_list *list, int32_t leaf, uint32_t bits, float least) {
  if (list->count == MOST_CHUNKS) {
    list->overflows = 1;
    return 0;
  }
  list->least[list->count] = least;
  list->leaf[list->count] = leaf;
  list->bits[list->count++] = (uint8_t)bits;
  return 1;
}

static void list_window(triangle_list *list, const field_window *window) {
  list->window = *window;
  list->count = 0;
  list->measured = 0;
  for (int32_t left = 2 * window->columns * window->rows; left > 0; left -= CHUNK) {
    add_chunk(list, 0, left >= CHUNK ? ALL_OF_CHUNK : (1u << left) - 1u, 0.0f);
  }
}

static field_window window_around(const cloth_geometry *g, const position_box *box) {
  const float across[2] = {1.0f / g->spacing[0], 1.0f / g->spacing[1]};
  const int32_t columns = g->counts[0] - 1, rows = g->counts[1] - 1;
  field_window w;
  w.left = clamped_cell(box->low.x * across[0], columns);
  w.first = clamped_cell(box->low.z * across[1], rows);
  w.columns = clamped_cell(box->high.x * across[0], columns) - w.left + 1;
  w.rows = clamped_cell(box->high.z * across[1], rows) - w.first + 1;
  return w;
}

/* Lists the triangles of the cells whose ground may be in a box. */
static void list_field(triangle_list *list, const position_box *box) {
  const field_window w = window_around(list->g, box);
  list->overflows = (int64_t)w.columns * w.rows > MOST_CELLS;
  if (list->overflows) { return; }
  list->work += (uint32_t)(w.columns * w.rows) * COST_FIELD_TEST;
  const cloth_geometry *g = list->g;
  const float highest = highest_in_window(g, &w);
  if (highest < box->low.y) { return; }
  list_window(list, &w);
  list->box.low = vector((float)w.left * g->spacing[0], g->box.low.y, (float)w.first * g->spacing[1]);
  list->box.high =
      vector((float)(w.left + w.columns) * g->spacing[0], highest, (float)(w.first + w.rows) * g->spacing[1]);
}

/* Lists the triangles of leaves that are nearer to a point than a radius. */
CLOTH_SEPARATE void list_leaves(triangle_list *list, const mesh_leaves *leaves, cloth_vector p, float radius) {
  const lanes most = lanes_splat(radius * radius);
  const lanes3 at = lanes3_splat(p), none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  list->box = leaves->box;
  for (int32_t n = 0; n < leaves->count; n += CLOTH_LANES) {
    float squared[CLOTH_LANES];
    const lanes3 low = lanes3_load(VECTORS_OF(leaves->low), n), high = lanes3_load(VECTORS_OF(leaves->high), n);
    const lanes3 off = lanes3_maximum(lanes3_maximum(lanes3_subtract(low, at), lanes3_subtract(at, high)), none);
    const lanes square = lanes3_dot(off, off);
    uint32_t near = lanes_bits(lanes_less(square, most));
    lanes_store(squared, square);
    for (; near; near &= near - 1u) {
      const int32_t lane = first_bit(near);
      if (!add_chunk(list, leaves->leaf[n + lane], ALL_OF_CHUNK, squared[lane])) { return; }
    }
  }
  list->work += (uint32_t)leaves->count * COST_MESH_LEAF;
}

static void list_mesh(triangle_list *list, const position_box *box) {
  mesh_walk w;
  for (start_walk(&w, list->g, box); !list->overflows && next_node(&w); w.open[0] = 0) {
    for (uint32_t open = w.open[0]; open && !list->overflows; open &= open - 1u) {
      add_chunk(list, MESH_CHILDREN * w.node[0] + first_bit(open), ALL_OF_CHUNK, 0.0f);
    }
  }
  list->overflows |= w.overflows;
  list->work += (uint32_t)w.nodes * COST_MESH_NODE;
}

/* Lists the triangles of a surface near a box in its axes. */
CLOTH_SEPARATE void list_triangles(triangle_list *list, const cloth_geometry *g, const position_box *box) {
  clear_list(list, g);
  if (!do_boxes_meet(&g->box, box)) { return; }
  if (is_height_field(g->shape)) {
    list_field(list, box);
  } else {
    list_mesh(list, box);
  }
}

/* Charges a list for measuring a chunk, which in a height field has to be made. */
static void charge_chunk(triangle_list *list, uint32_t work) {
  list->work += is_height_field(list->g->shape) ? work + COST_CHUNK_MADE : work;
}

/* Makes the triangles of a height field from number `first` of a list on, unless they are there. */
static void make_cells(triangle_list *list, int32_t first) {
  lanes3 corner[3];
  const field_window *is = &list->window, *was = &list->made_in;
  if (list->made == first && is->left == was->left && is->first == was->first && is->columns == was->columns &&
      is->rows == was->rows) {
    return;
  }
  list->made = first;
  list->made_in = *is;
  field_corners(list->g, &list->window, first, corner);
  make_triangles(list->room, CLOTH_LANES, corner);
}

/* CLOTH_LANES triangles of chunk `n` of a list from its triangle `k` on: of a height field they are made, those of a
   leaf that do not exist are beyond all. */
CLOTH_INLINE triangle_lanes listed_triangles(triangle_list *list, int32_t n, int32_t k) {
  if (is_height_field(list->g->shape)) {
    make_cells(list, n * CHUNK + k);
    return (triangle_lanes){list->room, CLOTH_LANES};
  }
  const float *leaves = (const float *)geometry_data(list->g, list->g->data);
  return (triangle_lanes){leaves + list->leaf[n] * TRIANGLE_FLOATS * MESH_CHILDREN + k, MESH_CHILDREN};
}

/* Runs a statement for each block of lanes of a chunk: `k` is its first triangle, `near` which are near, a bit each. */
#define EACH_TRIANGLE_LANES(list, n, k, near, statement)                                                               \
  for (int32_t k = 0; k < CHUNK; k += CLOTH_LANES) {                                                                   \
    const uint32_t near = (uint32_t)(list)->bits[n] >> k & ((1u << CLOTH_LANES) - 1u);                                 \
    if (near) { statement; }                                                                                           \
  }

/// Distances of particles from triangles ///

/* A particle near a surface, in its axes [m]. */
typedef struct surface_point {
  cloth_vector from, to; /* where its way begins; where contacts are looked for */
  cloth_vector moved;    /* by which `to` has been moved out of triangles that the way passed */
  float radius;          /* contacts are no farther */
  float behind;          /* a triangle with one side holds what is no farther behind it, at both ends of its way */
  int32_t one_sided;
  uint32_t work; /* of what the way passes */
} surface_point;

/* How far a particle is from triangles. */
typedef struct triangle_distance {
  lanes_mask found; /* within the radius, and on a side that holds it */
  lanes least;      /* below the squared distance [m^2] */
  lanes size, gap;  /* the distance; below 0 behind a triangle with one side [m] */
  lanes3 normal;
  lanes_mask is_face; /* an inner point is nearest, no edge or corner */
} triangle_distance;

/* How far points are outside of the edges of triangles; they are relative to the corners. Returns the largest. */
CLOTH_INLINE lanes beyond_edges(const triangle_lanes *t, lanes3 p, lanes excess[3]) {
  excess[0] = lanes3_dot(triangle_vector(t, TRIANGLE_OUTWARD), p);
  excess[1] =
      lanes_subtract(lanes3_dot(triangle_vector(t, TRIANGLE_OUTWARD + 3), p), triangle_float(t, TRIANGLE_FAR_SIDE));
  excess[2] = lanes3_dot(triangle_vector(t, TRIANGLE_OUTWARD + 6), p);
  return lanes_flush(lanes_maximum(excess[0], lanes_maximum(excess[1], excess[2])));
}

CLOTH_INLINE lanes3 from_corners(const triangle_lanes *t, cloth_vector p) {
  return lanes3_flush_below(lanes3_subtract(lanes3_splat(p), triangle_vector(t, TRIANGLE_CORNER)), STATE_QUANTUM);
}

CLOTH_INLINE lanes above_planes(const triangle_lanes *t, lanes3 p) {
  return lanes_flush_below(lanes3_dot(triangle_vector(t, TRIANGLE_NORMAL), p), STATE_QUANTUM);
}

/* The vectors from the nearest points of the edges that points are outside of. */
CLOTH_INLINE lanes3 away_from_edges(const triangle_lanes *t, lanes3 p, const lanes excess[3]) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 edge[2] = {triangle_vector(t, TRIANGLE_EDGES), triangle_vector(t, TRIANGLE_EDGES + 3)};
  lanes3 nearest = p;
  lanes least = lanes_splat(NO_FACE);
  for (int32_t n = 0; n < 3; n++) {
    const lanes3 along = n == 1 ? lanes3_flush_below(lanes3_subtract(edge[1], edge[0]), STATE_QUANTUM) : edge[n / 2];
    const lanes3 q = n == 1 ? lanes3_flush_below(lanes3_subtract(p, edge[0]), STATE_QUANTUM) : p;
    const lanes share = lanes_flush(lanes_multiply(lanes3_dot(q, along), triangle_float(t, TRIANGLE_INVERSE + n)));
    const lanes within = lanes_minimum(lanes_maximum(share, zero), one);
    const lanes3 away = lanes3_flush_below(lanes3_add_scaled(q, along, lanes_negate(within)), STATE_QUANTUM);
    const lanes squared = lanes3_dot(away, away);
    const lanes_mask is_nearer = lanes_both(lanes_less(zero, excess[n]), lanes_less(squared, least));
    nearest = lanes3_select(is_nearer, away, nearest);
    least = lanes_select(is_nearer, squared, least);
  }
  return nearest;
}

/* The squared distance above which what is nearest is found nearby first. */
static float about_nearest(float least) {
  return least * ABOUT_NEAREST + ABOUT_NOTHING;
}

/* What is nearest of a list: a squared distance that nothing is nearer than; 1 if it is the inside of a triangle, and
   no other triangle is as near. */
typedef struct nearest_measure {
  float least;
  int32_t is_inside;
} nearest_measure;

/* Measures a chunk of a list, and takes what is nearer than what has been found. Lengths may be off by STATE_QUANTUM.
 */
CLOTH_SEPARATE void measure_chunk(triangle_list *list, const surface_point *s, int32_t n, nearest_measure *nearest) {
  const float about = about_nearest(nearest->least);
  const lanes zero = lanes_splat(0.0f), inner = lanes_splat(-ABOVE_PLANE);
  lanes least = lanes_splat(about), inside = least;
  charge_chunk(list, COST_CHUNK);
  EACH_TRIANGLE_LANES(list, n, k, near, {
    const triangle_lanes t = listed_triangles(list, n, k);
    const lanes3 p = lanes3_subtract(lanes3_splat(s->to), triangle_vector(&t, TRIANGLE_CORNER));
    const lanes height = above_planes(&t, p);
    lanes excess[3];
    if (!lanes_any(lanes_less(lanes_multiply(height, height), lanes_splat(about)))) { continue; }
    const lanes outside = beyond_edges(&t, p, excess);
    const lanes beside = lanes_maximum(outside, zero);
    const lanes squared = lanes_add(lanes_multiply(beside, beside), lanes_multiply(height, height));
    least = lanes_minimum(squared, least);
    inside = lanes_select(lanes_less(outside, inner), lanes_minimum(squared, inside), inside);
  });
  list->measured |= 1u << n;
  list->least[n] = about;
  if (lanes_any(lanes_less(least, lanes_splat(about)))) {
    list->least[n] = lanes_least(least);
    if (list->least[n] < nearest->least) {
      nearest->least = list->least[n];
      nearest->is_inside = !(nearest->least < lanes_least(inside));
    }
  }
}

/* Measures the chunks of a list that may be the nearest. */
CLOTH_SEPARATE nearest_measure measure_nearest(triangle_list *list, const surface_point *s) {
  nearest_measure nearest = {s->radius * s->radius, 0};
  int32_t first = 0;
  for (int32_t n = 1; n < list->count; n++) {
    first = list->least[n] < list->least[first] ? n : first;
  }
  if (list->count > 0) { measure_chunk(list, s, first, &nearest); }
  for (int32_t n = 0; n < list->count; n++) {
    const float most = nearest.is_inside ? nearest.least : about_nearest(nearest.least);
    if (n != first && list->least[n] < most) { measure_chunk(list, s, n, &nearest); }
  }
  return nearest;
}

/* Measures triangles whose squared distance may be less than `limit`; without `edges` their inner points alone. Returns
   0 if there are none. */
CLOTH_REPEATED int measure_triangles(const triangle_lanes *t, const surface_point *s, float limit, int edges,
                                     triangle_distance *d) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f), radius = lanes_splat(s->radius);
  const lanes3 normal = triangle_vector(t, TRIANGLE_NORMAL), p = from_corners(t, s->to);
  const lanes height = above_planes(t, p);
  lanes distance = lanes_absolute(height), excess[3];
  if (!lanes_any(lanes_less(lanes_multiply(height, height), lanes_splat(limit)))) { return 0; }
  const lanes outside = beyond_edges(t, p, excess), beside = lanes_maximum(outside, zero);
  d->least = lanes_add(lanes_multiply(beside, beside), lanes_multiply(height, height));
  const lanes_mask is_edge = lanes_less(zero, outside);
  d->is_face = lanes_less(outside, lanes_splat(WORK_QUANTUM));
  d->found = lanes_less(d->least, lanes_splat(limit));
  d->found = edges ? d->found : lanes_both(d->found, d->is_face);
  if (!lanes_any(d->found)) { return 0; }
  const lanes before = above_planes(t, from_corners(t, s->from));
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
  d->found = lanes_both(d->found, lanes_less(distance, radius));
  if (s->one_sided) {
    const lanes behind = lanes_splat(s->behind);
    const lanes most = lanes_select(d->is_face, behind, lanes_splat(STATE_QUANTUM));
    d->found = lanes_both(d->found, lanes_less(lanes_negate(behind), before));
    d->found = lanes_both(d->found, lanes_less(lanes_negate(most), height));
  }
  d->size = lanes_absolute(d->gap);
  d->normal = lanes3_flush(n);
  return 1;
}
