#pragma once
#include "body.h"
#include "cell_memory.h"
#include "search.h"
#include "shapes.h"
#include "touch.h"
#include "triangle_place.h"

/// Points of cells that are nearest to a solid ///

/*
 * A triangle of a cell touches a solid with one point. What may touch, see contact/cell_search.h, descends to the point
 * that is nearest where the substep begins, as many triangles at once as there are lanes: to a ball in one step, to
 * what else is round by steps that would lead to the ball there, to others by shorter and shorter ones. The point that
 * is remembered is kept while none is much nearer. A body with mass turns as it is pushed: where another point comes
 * out much nearer at the place of linearisation, that is taken.
 *
 * In: corners of triangles in the axes of a solid, at both ends of the substep. Out: weights of their points,
 * distances. Scratch: none.
 */

/* Where the law of a cell begins, in thicknesses. */
#define CELL_REACH 0.5f
/* Touches are looked for so many thicknesses farther out than the law begins, and in all as far out as this. */
#define CELL_SLACK 0.25f
#define CELL_FARTHEST (CELL_REACH + CELL_SLACK)
/* A point is kept unless another one is nearer by so many thicknesses, of round solids by less, see least_gain(). */
#define KEPT_SHARE 0.1f
/* The descent to the nearest point: its steps, the first over the longest edge of the triangle, and the factor from one
   to the next; of a kept point fewer and shorter ones. */
#define DESCENT_STEPS 8
#define DESCENT_START 0.5f
#define KEPT_STEPS 3
#define KEPT_START 0.12f
#define DESCENT_FACTOR 0.5f
/* Slopes of the distance along a triangle below this are none. */
#define LEAST_SLOPE 1.0e-3f

/* A triangle that is looked at, and a point of it at the beginning of the substep. */
typedef struct cell_triangle {
  cloth_vector from[3], to[3]; /* of its corners, in the axes of the collider */
  float distance[3];
  int32_t row[3], column[3];
  uint32_t key;
  const cell_memory *memory; /* NULL: nothing is remembered of it */
  float weight[3], nearest;  /* of its point; the distance of that where the substep begins */
  int32_t is_outside;        /* 1: no place of it has been found inside there */
  float way_squared;         /* of the corner that goes farthest [m^2] */
} cell_triangle;

/* Triangles that wait for each other. */
typedef struct cell_batch {
  int32_t count;
  cell_triangle triangle[CLOTH_LANES];
} cell_batch;

/* The radius of balls that fill a collider: each of its points lies in one. */
static float round_radius(const cloth_collider *s) {
  return s->shape == CLOTH_SHAPE_SPHERE    ? s->radius
         : s->shape == CLOTH_SHAPE_CAPSULE ? minimum(s->radius, s->radius_top)
                                           : 0.0f;
}

/* The least distance that a triangle has from a convex collider, if a point p of it has the distance and the normal. */
CLOTH_INLINE lanes least_distance(lanes distance, lanes3 normal, lanes3 p, const lanes3 corner[3]) {
  const lanes3 n = lanes3_flush(normal);
  const lanes a = lanes3_dot(n, lanes3_flush_below(lanes3_subtract(corner[0], p), STATE_QUANTUM));
  const lanes b = lanes3_dot(n, lanes3_flush_below(lanes3_subtract(corner[1], p), STATE_QUANTUM));
  const lanes c = lanes3_dot(n, lanes3_flush_below(lanes3_subtract(corner[2], p), STATE_QUANTUM));
  return lanes_add(distance, lanes_minimum(a, lanes_minimum(b, c)));
}

/* Nothing that goes so far touches if it is so far where the substep begins. */
CLOTH_INLINE lanes farthest_touch(const touch_search *s, lanes way_squared) {
  const lanes ways = lanes_multiply(lanes_splat(1.0f + FARTHER), lanes_square_root(way_squared));
  return lanes_multiply(lanes_splat(BOX_SLACK), lanes_add(lanes_splat(CELL_FARTHEST * s->thickness), ways));
}

static cloth_vector point_of_cell(const cloth_vector corner[3], const float weight[3]) {
  cloth_vector sum = vector_scale(corner[0], weight[0]);
  sum = vector_add_scaled(sum, corner[1], weight[1]);
  return vector_flush_state(vector_add_scaled(sum, corner[2], weight[2]));
}

/* The weights of the remembered point of a triangle; without one those of its middle. */
static void start_weights(const cell_memory *m, float weight[3]) {
  const float third = 1.0f / 3.0f;
  weight[1] = m ? m->weight[0] : third;
  weight[2] = m ? m->weight[1] : third;
  weight[0] = m ? maximum((1.0f - m->weight[0]) - m->weight[1], 0.0f) : third;
}

/* Triangles in lanes: corners, and two edges from the first; how long and how many the steps of the descent are; how
   far they are too far. */
typedef struct descent {
  lanes3 corner[3], first, second, across;
  lanes weight[3], step, steps, most;
  float radius; /* of balls that fill the solid, 0: it is not round */
} descent;

/* What triangles have descended to, and where they began. */
typedef struct descended {
  float weight[3][CLOTH_LANES], nearest[CLOTH_LANES], kept[CLOTH_LANES];
} descended;

/* Takes the triangles that wait: where the substep begins, or, from the points that they have there, where it leads. */
static descent descent_of(const touch_search *s, const cell_batch *b, int at_end) {
  float corner[3][3][CLOTH_LANES], weight[3][CLOTH_LANES], start[CLOTH_LANES], steps[CLOTH_LANES];
  float way_squared[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const cell_triangle *t = &b->triangle[lane < b->count ? lane : 0];
    const cloth_vector *place = at_end ? t->to : t->from;
    const int is_kept = at_end || t->memory;
    for (int32_t n = 0; n < 3; n++) {
      vector_store(VECTORS_OF(corner[n]), lane, place[n]);
      weight[n][lane] = t->weight[n];
    }
    start[lane] = is_kept ? KEPT_START : DESCENT_START;
    way_squared[lane] = t->way_squared;
    steps[lane] = lane < b->count ? (float)(is_kept ? KEPT_STEPS : DESCENT_STEPS) : 0.0f;
  }
  descent d;
  lanes3 *q = d.corner;
  for (int32_t n = 0; n < 3; n++) {
    q[n] = lanes3_load(VECTORS_OF(corner[n]), 0);
    d.weight[n] = lanes_load(weight[n]);
  }
  d.first = lanes3_flush_below(lanes3_subtract(q[1], q[0]), STATE_QUANTUM);
  d.second = lanes3_flush_below(lanes3_subtract(q[2], q[0]), STATE_QUANTUM);
  const lanes third = lanes3_length(lanes3_subtract(d.first, d.second));
  const lanes longest = lanes_maximum(lanes3_length(d.first), lanes_maximum(lanes3_length(d.second), third));
  const lanes3 area = lanes3_cross(d.first, d.second);
  const lanes twice = lanes_maximum(lanes3_length(area), lanes_splat(STATE_QUANTUM));
  d.across = lanes3_flush(lanes3_scale(area, lanes_divide(lanes_splat(1.0f), twice)));
  d.step = lanes_multiply(longest, lanes_load(start));
  d.steps = lanes_load(steps);
  d.most = farthest_touch(s, lanes_load(way_squared));
  return d;
}

/* The points of triangles, relative to their first corners. */
CLOTH_INLINE lanes3 points_of_descent(const descent *d) {
  return lanes3_quantise(lanes3_add_scaled(lanes3_scale(d->first, d->weight[1]), d->second, d->weight[2]),
                         STATE_ROUNDER);
}

/* A step against the slope of the distance from a point p, where that and its normal are known: which go on. To a ball,
   whose centre is as far as that and its radius, one step leads. */
CLOTH_INLINE lanes_mask step_down(descent *d, lanes3 p, lanes distance, lanes3 normal) {
  const lanes3 n = lanes3_flush(normal), slope = lanes3_across(n, d->across);
  const lanes steep = lanes3_length(slope), one = lanes_splat(1.0f);
  const lanes_mask falls = lanes_less(lanes_splat(LEAST_SLOPE), steep);
  const lanes by = d->radius > 0.0f ? lanes_add(distance, lanes_splat(d->radius))
                                    : lanes_divide(d->step, lanes_select(falls, steep, one));
  const lanes3 to = lanes3_quantise(lanes3_add_scaled(p, slope, lanes_negate(by)), STATE_ROUNDER);
  const triangle_place t = place_over_triangle(to, d->first, d->second);
  d->weight[1] = t.second;
  d->weight[2] = t.third;
  d->weight[0] = lanes_maximum(lanes_subtract(lanes_subtract(one, t.second), t.third), lanes_splat(0.0f));
  d->step = lanes_multiply(d->step, lanes_splat(DESCENT_FACTOR));
  return falls;
}

/* Descends from points to where the triangles that wait are nearest to the collider, by shorter and shorter steps
   against the slope of the distance; finds the nearest points on the way. Those that turn out to be too far stop, and
   are at FAR_GAP. */
CLOTH_SEPARATE void descend(const touch_search *s, const cell_batch *b, int at_end, descended *to) {
  descent d = descent_of(s, b, at_end);
  d.radius = s->b->unknown ? round_radius(s->b->shape) : 0.0f;
  lanes best[3] = {d.weight[0], d.weight[1], d.weight[2]}, nearest = lanes_splat(0.0f), kept = nearest;
  lanes_mask goes = lanes_less(lanes_splat(0.0f), d.steps);
  for (int32_t n = 0; n < DESCENT_STEPS && lanes_any(goes); n++) {
    const lanes3 p = points_of_descent(&d), at = lanes3_flush_below(lanes3_add(d.corner[0], p), STATE_QUANTUM);
    lanes3 normal;
    const lanes distance = distances_to(s->b, &at, &normal);
    workspace_of(s->c)->cell_searches += s->b->searches * (int32_t)lanes_count(lanes_keep(goes, lanes_splat(1.0f)));
    kept = n == 0 ? distance : kept;
    const lanes_mask nearer = n == 0 ? goes : lanes_both(goes, lanes_less(distance, nearest));
    nearest = lanes_select(nearer, distance, nearest);
    for (int32_t k = 0; k < 3; k++) {
      best[k] = lanes_select(nearer, d.weight[k], best[k]);
    }
    const lanes_mask may = lanes_both(goes, lanes_less(least_distance(distance, normal, at, d.corner), d.most));
    nearest = lanes_select(goes, lanes_select(may, nearest, lanes_splat(FAR_GAP)), nearest);
    if (!lanes_any(may)) { break; }
    goes = lanes_both(may, step_down(&d, p, distance, normal));
    goes = lanes_both(goes, lanes_less(lanes_splat((float)(n + 1)), d.steps));
  }
  lanes_store(to->weight[0], best[0]);
  lanes_store(to->weight[1], best[1]);
  lanes_store(to->weight[2], best[2]);
  lanes_store(to->nearest, nearest);
  lanes_store(to->kept, kept);
}

/* How much nearer another point must be than the one that is kept [m]. A ball of radius r rolls on by s until another
   point is nearer by s^2 / 2 (r + gap), and as the point lags behind, it drives the ball on, with a lever of s / 2 in
   the mean: that stays below the lever of its resistance, ROLLING. Balls need no such share: only one place of a
   triangle is nearest. */
static float least_gain(const touch_search *s) {
  const float reach = CELL_REACH * s->thickness, radius = round_radius(s->b->shape);
  if (!s->b->unknown) { return KEPT_SHARE * s->thickness; }
  if (s->b->shape->shape == CLOTH_SHAPE_SPHERE) { return 0.0f; }
  return KEPT_SHARE * s->thickness * (reach / (radius + reach));
}

static void take_descended(cell_triangle *t, const descended *to, int32_t lane) {
  for (int32_t n = 0; n < 3; n++) {
    t->weight[n] = to->weight[n][lane];
  }
}

/* Chooses the points of the triangles that wait, where the substep begins: those that are remembered, unless others are
   much nearer. */
static void choose_points(const touch_search *s, cell_batch *b) {
  const float gain = least_gain(s);
  descended to;
  descend(s, b, 0, &to);
  for (int32_t n = 0; n < b->count; n++) {
    cell_triangle *t = &b->triangle[n];
    const int is_kept = t->memory && !(to.nearest[n] < to.kept[n] - gain);
    t->nearest = is_kept && to.nearest[n] < FAR_GAP ? to.kept[n] : to.nearest[n];
    t->is_outside = t->nearest > 0.0f;
    if (!is_kept) { take_descended(t, &to, n); }
  }
}

/* Chooses others where the substep leads, if they are much nearer there: a body turns as it is pushed, and another
   place of the triangle would be inside when it ends. */
static void choose_points_at_end(const touch_search *s, cell_batch *b) {
  cloth_vector normal;
  descended to;
  descend(s, b, 1, &to);
  for (int32_t n = 0; n < b->count; n++) {
    cell_triangle *t = &b->triangle[n];
    if (t->nearest < FAR_GAP && to.nearest[n] < to.kept[n] - KEPT_SHARE * s->thickness) {
      take_descended(t, &to, n);
      workspace_of(s->c)->cell_searches += s->b->searches;
      t->nearest = distance_of_point(s->b->shape, s->b->geometry, point_of_cell(t->from, t->weight), &normal);
    }
  }
}

/* The direction across a triangle, with none of its weights 0, in which the distance of a convex solid rises from a
   point inside; or across the edge that has the point. */
static cloth_vector across_cell(const touch_search *s, const cell_triangle *t, cloth_vector p, cloth_vector normal) {
  cloth_vector edge[3], other;
  int32_t beside = 0, corners = 0;
  for (int32_t n = 0; n < 3; n++) {
    edge[n] = vector_flush_state(vector_subtract(t->from[(n + 2) % 3], t->from[(n + 1) % 3]));
    beside = t->weight[n] > 0.0f ? beside : n;
    corners += t->weight[n] > 0.0f;
  }
  const cloth_vector area = vector_flush_state(vector_cross(edge[0], edge[1]));
  const float twice = vector_length(area), length = vector_length(edge[beside]);
  if (corners == 3 && twice > 0.0f) {
    const cloth_vector n = vector_scale_work(area, 1.0f / twice);
    const cloth_vector way = vector_scale(n, CELL_REACH * s->thickness);
    const cloth_vector above = vector_flush_state(vector_add(p, way));
    const cloth_vector under = vector_flush_state(vector_subtract(p, way));
    const float up = distance_of_point(s->b->shape, s->b->geometry, above, &other);
    const float down = distance_of_point(s->b->shape, s->b->geometry, under, &other);
    return down < up ? n : vector_scale(n, -1.0f);
  }
  if (corners == 2 && length > 0.0f) {
    const cloth_vector along = vector_scale_work(edge[beside], 1.0f / length);
    const float out = flush_work(vector_dot(normal, along));
    const cloth_vector across = vector_flush_work(vector_add_scaled(normal, along, negate(out)));
    const float left = vector_length(across);
    return left > LEAST_SLOPE ? vector_scale_work(across, 1.0f / left) : normal;
  }
  return normal;
}

/// Edges that cells share ///

/*
 * Both triangles at an edge may touch a ball, one of them with a point of that edge, while the ball is nearer to the
 * other, or both with the same point. One place of the sheet would press twice, and a ball on flat cloth would roll off
 * every edge. So the one whose point is farther yields to the other, and leaves what it remembers to that, if it begins
 * just then: what rolls goes on from triangle to triangle with the force that it had. What presses is the nearer of
 * both, so nothing opens. What is not a ball may rest along a line on both: it presses twice.
 *
 * In and out: touches of cells with a collider. Scratch: none.
 */

/* Points with less weight at a corner are on the edge that is opposite to it. */
#define EDGE_WEIGHT 1.0e-3f
/* The corner that is opposite to the edge that has the point of a touch; -1: there is none. */
static int32_t corner_beyond_edge(const cell_touch *e) {
  for (int32_t n = 0; n < 3; n++) {
    if (e->weight[n] < EDGE_WEIGHT) { return n; }
  }
  return -1;
}

/* The key of the triangle on the other side of an edge, which is opposite to a corner; it may be of no triangle. */
static uint32_t key_across_edge(const cloth *c, const cell_touch *e, int32_t corner) {
  const int32_t second = (int32_t)(e->key & 1u), columns = c->grid.columns;
  int32_t row, column;
  cell_of_key(c, e->key, &row, &column);
  if (corner == (second ? 2 : 0)) { column += second ? -1 : 1; }
  if (corner == (second ? 0 : 2)) { row += second ? 1 : -1; }
  column = column < 0 ? columns - 1 : column == columns ? 0 : column;
  return cell_key(c, e->collider, row < 0 ? c->grid.rows - 1 : row, column, !second);
}

/* The touch of a key, among those in ascending order; NULL if there is none. */
static cell_touch *touch_of_key(cell_touch *first, int32_t count, uint32_t key) {
  int32_t from = 0, to = count;
  while (from < to) {
    const int32_t middle = (from + to) / 2;
    if (first[middle].key < key) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from < count && first[from].key == key ? &first[from] : NULL;
}

/* Where the point of a touch is linearised. */
static cloth_vector place_of_cell(const solve_arrays *a, const cell_touch *e) {
  cloth_vector place = vector(0.0f, 0.0f, 0.0f);
  for (int32_t n = 0; n < 3; n++) {
    place = vector_add_scaled(place, near_vector(near_row(a->place, a->pitch, 0), a->plane, e->place[n]), e->weight[n]);
  }
  return vector_flush_state(place);
}

/* What one touch remembers goes over to another one, which begins: as far from its anchor. */
static void leave_memory(const solve_arrays *a, const touched_body *b, const cell_touch *from, cell_touch *to) {
  if (to->known || !from->known) { return; }
  const cloth_vector way = vector_flush_state(vector_subtract(place_of_cell(a, to), place_of_cell(a, from)));
  const cloth_vector shift = vector_flush_state(rotate(rotation_conjugate(b->end.rotation), way));
  const float out = flush_work(vector_dot(from->offset, to->normal));
  to->known = 1;
  to->slides = from->slides;
  to->before.last = from->before.last;
  to->anchor = vector_flush_state(vector_add(from->anchor, shift));
  to->offset = vector_flush_work(vector_add_scaled(from->offset, to->normal, negate(out)));
}

/* Touches of a collider, from one on, yield where the triangle across their edge is nearer. */
CLOTH_SEPARATE void yield_edges(const cloth *c, const solve_arrays *a, const touched_body *b, int32_t first) {
  workspace *w = workspace_of(c);
  cell_touch *list = cell_touches_of(c) + first;
  const int32_t count = w->cells - first;
  int32_t left = 0;
  for (int32_t n = 0; n < count; n++) {
    cell_touch *e = &list[n];
    const int32_t corner = corner_beyond_edge(e);
    cell_touch *other = corner < 0 ? NULL : touch_of_key(list, count, key_across_edge(c, e, corner));
    const int yields = other && (other->gap < e->gap || (other->gap == e->gap && n < (int32_t)(other - list)));
    if (yields) { leave_memory(a, b, e, other); }
    if (yields) { e->collider = -1; }
  }
  for (int32_t n = 0; n < count; n++) {
    if (list[n].collider >= 0) { list[left++] = list[n]; }
  }
  w->cells = first + left;
}
