#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../bodies/unknown.h"
#include "../compiler.h"
#include "../costs.h"
#include "../gaps.h"
#include "../lanes.h"
#include "../rigid.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../step_origin.h"
#include "../triangle_place.h"
#include "../types.h"
#include "body.h"
#include "buried.h"
#include "cell_memory.h"
#include "search.h"
#include "touch.h"

/// Search for cells that touch ///

/*
 * Particles alone let what is small or sharp through their cells: a sheet that is pulled over the edge of a box hooks
 * it. So a triangle of a cell touches a solid without mass, too, at the point of it that is nearest to the solid where
 * the substep begins; but only where the solid stands out between the particles, which a flat sheet on a flat top, or
 * one over what is large against its cells, does not see:
 *
 *   sag = sum w_j phi_j - phi(p) >= LEAST_SAG T, phi the distance from the solid
 *
 * A point is kept as long as none is much nearer, and it stands out at all: chosen anew each time, points wander with
 * every small motion, and nothing rests. A touch begins only where the point and all corners of the triangle are
 * outside: cells that are born in a solid would throw a sheet off it. The law begins at CELL_REACH of the thickness, as
 * particles that lie on something flat are farther out.
 *
 * Both triangles of a cell have the diagonal from its first corner. The cloth, then blocks of its cells are compared
 * with the box of the collider; then the normals at the corners tell how far it may stand out: for a convex solid
 * phi_i >= phi_j + n_j . (x_i - x_j), so that no point is deeper than how the normals turn allows. What is left
 * descends to its nearest point, as many triangles at once as there are lanes.
 *
 * In: position, place, diagonal, colliders, memory of cells. Out: touches of cells. Scratch: scratch.reach, ground.
 */

#if WITH_COLLIDERS

/* Where the law of a cell begins, in thicknesses. */
#define CELL_REACH 0.5f
/* Least sag with which a touch begins, at its point and amid its triangle, and with which it is kept [T]. */
#define LEAST_SAG 0.25f
#define CELL_SAG 0.05f
/* Touches are looked for so many thicknesses farther out than the law begins. */
#define CELL_SLACK 0.25f
/* A point is kept unless another one is nearer by so many thicknesses. */
#define KEPT_SHARE 0.1f
/* The descent to the nearest point: its steps, the first over the longest edge of the triangle, and the factor from one
   to the next; of a kept point fewer and shorter ones. */
#define DESCENT_STEPS 8
#define DESCENT_START 0.5f
#define KEPT_STEPS 3
#define KEPT_START 0.12f
#define DESCENT_FACTOR 0.5f
/* Most places that are charged for the way of a point that is followed. */
#define CELL_FOLLOWED 4
/* Slopes of the distance along a triangle below this are none. */
#define LEAST_SLOPE 1.0e-3f

/* Rows of cells of a block. */
#define BLOCK_ROWS 4

/* A triangle that is looked at, and a point of it at the beginning of the substep. */
typedef struct cell_triangle {
  cloth_vector from[3], to[3]; /* of its corners, in the axes of the collider */
  float distance[3];
  int32_t row[3], column[3];
  uint32_t key;
  const cell_memory *memory; /* NULL: nothing is remembered of it */
  float weight[3], nearest;  /* of its point; the distance of that */
  float kept;                /* distance of the point that is remembered */
} cell_triangle;

/* Triangles that wait for each other. */
typedef struct cell_batch {
  int32_t count;
  cell_triangle triangle[CLOTH_LANES];
} cell_batch;

/* What the search of one collider takes. */
typedef struct cell_search {
  touch_search s;
  touched_body body;
  int32_t has_reach; /* 1: distances at which contact begins near buried pins are known */
  position_box near; /* around the collider in the part, and where cells may touch it, in world axes [m] */
  uint32_t cursor;   /* in the memory */
  int32_t tried;     /* triangles, of all colliders */
  corner_row *row;   /* two, by the parity of the row */
  int32_t block;     /* first column */
  float way;         /* longest of the corners of the present row of cells in the collider's axes, or more [m] */
  cell_batch batch;
} cell_search;

/* The boxes of blocks of cells, around where their particles begin, are linearised, and would be after the same ways
   again: row by row for each block of columns, in memory that is free until terms have blocks. */
static position_box *cell_boxes_of(const cloth *c) {
  return (position_box *)(void *)floats_at(c, c->scratch.ground);
}

/* 1 for colliders that cells touch. */
static int is_met_by_cells(const cloth *c, int32_t index) {
  const int32_t shape = is_collider(c, index) ? slot_at(c, index)->body.shape : CLOTH_SHAPE_PLANE;
  const int has_mass = find_unknown(c, index) != NULL;
  return !has_mass && shape != CLOTH_SHAPE_PLANE && !is_concave(&slot_at(c, index)->body);
}

/* Round colliders are large if the arc over a diagonal of a cell rises by less than so many thicknesses. */
#define LARGE_SAG 0.5f

/* 1 for round colliders so large that particles alone keep them out. */
static int is_large(const cloth *c, const cloth_collider *s, float thickness) {
  const float longest = maximum(c->grid.diagonal, c->grid.antidiagonal);
  const int is_capsule = s->shape == CLOTH_SHAPE_CAPSULE;
  const float radius = is_capsule ? minimum(s->radius, s->radius_top) : s->radius;
  return (is_capsule || s->shape == CLOTH_SHAPE_SPHERE) && longest * longest < 8.0f * LARGE_SAG * thickness * radius;
}

/* The box around a collider in its axes. */
static position_box box_of_shape(const touched_body *b) {
  const cloth_collider *s = b->shape;
  const float radius = maximum(s->radius, s->radius_top);
  cloth_vector half = vector(radius, radius, radius);
  if (s->shape == CLOTH_SHAPE_BOX) {
    half = s->half_extents;
  } else if (s->shape == CLOTH_SHAPE_CAPSULE) {
    half.y = s->half_height + radius;
  } else if (s->shape == CLOTH_SHAPE_CYLINDER) {
    half.y = s->half_height;
  }
  const position_box box = {vector_scale(half, -1.0f), half};
  const position_box of_geometry = {b->geometry ? b->geometry->low : half, b->geometry ? b->geometry->high : half};
  return b->geometry ? of_geometry : box;
}

/* Where cells may touch a collider. */
static void place_collider(cell_search *s) {
  const touched_body *b = &s->body;
  const position_box own = box_of_shape(b);
  const position_box from = box_at_pose(&own, &b->start), to = box_at_pose(&own, &b->end);
  const float around = (CELL_REACH + CELL_SLACK) * s->s.thickness;
  const float wide = around + b->shift + turn_of(b) * (b->reach + around);
  s->near = box_around_both(&from, &to);
  s->near.low = vector_subtract(s->near.low, vector(wide, wide, wide));
  s->near.high = vector_add(s->near.high, vector(wide, wide, wide));
}

/* The box of a block of cells from a row and a column on, without the particles behind its last column. */
CLOTH_INLINE position_box box_particles(const touch_search *s, int32_t row, int32_t column, int32_t left) {
  const vector_array x = s->x;
  const lanes3 first = lanes3_splat(vector_load(x, row * s->a->columns + column));
  lanes3 low = first, high = first;
  for (int32_t r = row; r <= row + BLOCK_ROWS && r < s->a->rows; r++) {
    const float *place = near_row(s->a->place, s->a->pitch, r);
    for (int32_t k = 0; k < left; k += CLOTH_LANES) {
      const lanes_mask exists = lanes_first(left - k);
      const lanes3 a = lanes3_load(x, r * s->a->columns + column + k), b = near_load(place, s->a->plane, column + k);
      const lanes3 way = lanes3_flush_below(lanes3_subtract(b, a), STATE_QUANTUM), on = lanes3_add(b, way);
      low = lanes3_select(exists, lanes3_minimum(low, lanes3_minimum(a, on)), low);
      high = lanes3_select(exists, lanes3_maximum(high, lanes3_maximum(a, on)), high);
    }
  }
  return box_of_lanes(low, high);
}

/* One more particle in it. */
static void widen_cell_box(const touch_search *s, position_box *box, int32_t row, int32_t column) {
  const cloth_vector a = vector_load(s->x, row * s->a->columns + column);
  const cloth_vector b = near_vector(near_row(s->a->place, s->a->pitch, row), s->a->plane, column);
  const cloth_vector way = vector_flush(vector_subtract(b, a), STATE_QUANTUM), on = vector_add(b, way);
  const position_box ends = {vector(minimum(a.x, on.x), minimum(a.y, on.y), minimum(a.z, on.z)),
                             vector(maximum(a.x, on.x), maximum(a.y, on.y), maximum(a.z, on.z))};
  *box = box_around_both(&ends, box);
}

/* The corners of a block of cells: so many of a row, and one more behind them. Behind the last column of a tube the
   first one follows. */
static int32_t corners_left(const solve_arrays *a, int32_t block) {
  const int32_t left = a->columns - block;
  return left < TOUCH_LANES ? left : TOUCH_LANES;
}

static int32_t corner_behind(const solve_arrays *a, int32_t block) {
  const int32_t next = block + TOUCH_LANES;
  return next < a->columns ? next : a->is_ring ? 0 : -1;
}

/* How many blocks of rows there are. */
static int32_t row_blocks(const solve_arrays *a) {
  return (a->rows - 1 + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

/* The boxes of all blocks. */
CLOTH_SEPARATE void find_cell_boxes(const touch_search *s) {
  position_box *to = cell_boxes_of(s->c);
  for (int32_t column = 0; column < cells_along_warp(s->c); column += TOUCH_LANES) {
    const int32_t left = corners_left(s->a, column), behind = corner_behind(s->a, column);
    for (int32_t row = 0; row + 1 < s->a->rows; row += BLOCK_ROWS, to++) {
      *to = box_particles(s, row, column, left);
      for (int32_t r = row; r <= row + BLOCK_ROWS && r < s->a->rows && behind >= 0; r++) {
        widen_cell_box(s, to, r, behind);
      }
    }
  }
}

/* Copies what the corners of a row have from one place of it to another. */
static void copy_corner(corner_row *r, int32_t from, int32_t to) {
  float *all = &r->from[0][0];
  for (int32_t n = 0; n < CORNER_ARRAYS; n++) {
    all[n * CORNER_FLOATS + to] = all[n * CORNER_FLOATS + from];
  }
}

/* A block of particles of a row, of which `count` count, as corners from `k` on. */
CLOTH_INLINE void place_corners(const touch_search *s, corner_row *r, int32_t i, int32_t k, int32_t count) {
  const vector_array from = {r->from[0], r->from[1], r->from[2]};
  const vector_array normals = {r->normal[0], r->normal[1], r->normal[2]};
  const lanes3 x = lanes_to_local(&s->b->start, lanes3_load(s->x, r->row * s->a->columns + i));
  lanes3 normal;
  lanes_store(&r->distance[k], distances_to(s->b, &x, &normal));
  lanes3_store(from, k, x, CLOTH_LANES);
  lanes3_store(normals, k, normal, CLOTH_LANES);
  const lanes3 to = lanes_to_local(&s->b->end, near_load(near_row(s->a->place, s->a->pitch, r->row), s->a->plane, i));
  const lanes way = lanes_keep(lanes_first(count), lanes3_length(lanes3_subtract(to, x)));
  r->way = maximum(lanes_largest(way, 0.0f), r->way);
}

/* The particles of a row beside the present block. */
CLOTH_SEPARATE const corner_row *block_corners(cell_search *s, int32_t row) {
  corner_row *r = &s->row[row & 1];
  const int32_t left = corners_left(s->s.a, s->block), behind = corner_behind(s->s.a, s->block);
  if (r->row == row) { return r; }
  r->row = row;
  r->way = 0.0f;
  for (int32_t k = 0; k < left; k += CLOTH_LANES) {
    place_corners(&s->s, r, s->block + k, k, left - k);
  }
  if (behind >= 0) { place_corners(&s->s, r, behind, TOUCH_LANES, 1); }
  if (behind >= 0 && left < TOUCH_LANES) { copy_corner(r, TOUCH_LANES, left); }
  return r;
}

CLOTH_INLINE lanes3 corner_lanes(const float values[3][CORNER_FLOATS], int32_t k) {
  return lanes3_of(lanes_load(&values[0][k]), lanes_load(&values[1][k]), lanes_load(&values[2][k]));
}

/* Corners of triangles in lanes. */
typedef struct corner_block {
  lanes3 from, normal;
  lanes distance;
} corner_block;

CLOTH_INLINE corner_block corners_at(const corner_row *r, int32_t k) {
  const corner_block c = {corner_lanes(r->from, k), corner_lanes(r->normal, k), lanes_load(&r->distance[k])};
  return c;
}

/* (n_i - n_j) . (x_i - x_j): no less than what phi_j is above the plane at corner i. */
CLOTH_INLINE lanes turn_between(const corner_block *a, const corner_block *b) {
  const lanes3 turned = lanes3_flush(lanes3_subtract(a->normal, b->normal));
  return lanes3_dot(turned, lanes3_flush_below(lanes3_subtract(a->from, b->from), STATE_QUANTUM));
}

/* Which triangles may have the collider come near and stand out between their corners: by how far its surface turns
   from corner to corner, and then by the distance of their middle. The sag is less than the second largest of the three
   turns. */
CLOTH_INLINE lanes_mask may_triangles_touch(const cell_search *s, const corner_block *a, const corner_block *b,
                                            const corner_block *c) {
  const lanes thickness = lanes_splat(s->s.thickness), third = lanes_splat(1.0f / 3.0f);
  const lanes ab = turn_between(a, b), ac = turn_between(a, c), bc = turn_between(b, c);
  const lanes sag = lanes_minimum(lanes_maximum(ab, ac), lanes_minimum(lanes_maximum(ab, bc), lanes_maximum(ac, bc)));
  const lanes nearest = lanes_minimum(a->distance, lanes_minimum(b->distance, c->distance));
  const float reach = (CELL_REACH + CELL_SLACK) * s->s.thickness + (1.0f + FARTHER) * s->way;
  const lanes_mask stands_out = lanes_less(lanes_multiply(thickness, lanes_splat(LEAST_SAG)), sag);
  const lanes_mask may = lanes_both(stands_out, lanes_less(lanes_subtract(nearest, sag), lanes_splat(reach)));
  if (!lanes_any(may)) { return may; }
  const lanes3 middle = lanes3_scale(lanes3_add(lanes3_add(a->from, b->from), c->from), third);
  const lanes3 at = lanes3_flush_below(middle, STATE_QUANTUM);
  lanes3 normal;
  const lanes distance = distances_to(s->s.b, &at, &normal);
  const lanes mean = lanes_multiply(lanes_add(lanes_add(a->distance, b->distance), c->distance), third);
  return lanes_both(may, lanes_less(lanes_multiply(thickness, lanes_splat(LEAST_SAG)), lanes_subtract(mean, distance)));
}

static cloth_vector point_of_cell(const cloth_vector corner[3], const float weight[3]) {
  cloth_vector sum = vector_scale(corner[0], weight[0]);
  sum = vector_add_scaled(sum, corner[1], weight[1]);
  return vector_flush(vector_add_scaled(sum, corner[2], weight[2]), STATE_QUANTUM);
}

/* The entry of a triangle in the memory; NULL if it has none. */
static const cell_memory *find_cell_memory(cell_search *s, uint32_t key) {
  const cell_memory *entry = cell_memories_of(s->s.c);
  const uint32_t count = *cells_remembered(s->s.c);
  while (s->cursor < count && entry[s->cursor].key < key) {
    s->cursor++;
  }
  return s->cursor < count && entry[s->cursor].key == key ? &entry[s->cursor] : NULL;
}

/* The weights of the remembered point of a triangle; without one those of its middle. */
static void start_weights(const cell_memory *m, float weight[3]) {
  const float third = 1.0f / 3.0f;
  weight[1] = m ? m->weight[0] : third;
  weight[2] = m ? m->weight[1] : third;
  weight[0] = m ? maximum((1.0f - m->weight[0]) - m->weight[1], 0.0f) : third;
}

/* Triangles in lanes: corners, and two edges from the first; how long and how many the steps of the descent are. */
typedef struct descent {
  lanes3 corner, first, second, across;
  lanes weight[3], step, steps;
} descent;

/* Takes the triangles that wait. */
static descent descent_of(const cell_batch *b) {
  float corner[3][3][CLOTH_LANES], weight[3][CLOTH_LANES], start[CLOTH_LANES], steps[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const cell_triangle *t = &b->triangle[lane < b->count ? lane : 0];
    for (int32_t n = 0; n < 3; n++) {
      corner[n][0][lane] = t->from[n].x;
      corner[n][1][lane] = t->from[n].y;
      corner[n][2][lane] = t->from[n].z;
      weight[n][lane] = t->weight[n];
    }
    start[lane] = t->memory ? KEPT_START : DESCENT_START;
    steps[lane] = lane < b->count ? (float)(t->memory ? KEPT_STEPS : DESCENT_STEPS) : 0.0f;
  }
  lanes3 q[3];
  descent d;
  for (int32_t n = 0; n < 3; n++) {
    q[n] = lanes3_of(lanes_load(corner[n][0]), lanes_load(corner[n][1]), lanes_load(corner[n][2]));
    d.weight[n] = lanes_load(weight[n]);
  }
  d.corner = q[0];
  d.first = lanes3_flush_below(lanes3_subtract(q[1], q[0]), STATE_QUANTUM);
  d.second = lanes3_flush_below(lanes3_subtract(q[2], q[0]), STATE_QUANTUM);
  const lanes third = lanes3_length(lanes3_subtract(d.first, d.second));
  const lanes longest = lanes_maximum(lanes3_length(d.first), lanes_maximum(lanes3_length(d.second), third));
  const lanes3 area = lanes3_cross(d.first, d.second);
  const lanes twice = lanes_maximum(lanes3_length(area), lanes_splat(STATE_QUANTUM));
  d.across = lanes3_flush(lanes3_scale(area, lanes_divide(lanes_splat(1.0f), twice)));
  d.step = lanes_multiply(longest, lanes_load(start));
  d.steps = lanes_load(steps);
  return d;
}

/* The points of triangles, relative to their first corners. */
CLOTH_INLINE lanes3 points_of_descent(const descent *d) {
  return lanes3_quantise(lanes3_add_scaled(lanes3_scale(d->first, d->weight[1]), d->second, d->weight[2]),
                         STATE_ROUNDER);
}

/* A step against the slope of the distance from a point p, where that has the normal `normal`: which go on. */
CLOTH_INLINE lanes_mask step_down(descent *d, lanes3 p, lanes3 normal) {
  const lanes3 n = lanes3_flush(normal), slope = lanes3_across(n, d->across);
  const lanes steep = lanes3_length(slope), one = lanes_splat(1.0f);
  const lanes_mask falls = lanes_less(lanes_splat(LEAST_SLOPE), steep);
  const lanes by = lanes_divide(d->step, lanes_select(falls, steep, one));
  const lanes3 to = lanes3_quantise(lanes3_add_scaled(p, slope, lanes_negate(by)), STATE_ROUNDER);
  const triangle_place t = place_over_triangle(to, d->first, d->second);
  d->weight[1] = t.second;
  d->weight[2] = t.third;
  d->weight[0] = lanes_maximum(lanes_subtract(lanes_subtract(one, t.second), t.third), lanes_splat(0.0f));
  d->step = lanes_multiply(d->step, lanes_splat(DESCENT_FACTOR));
  return falls;
}

/* Descends from points to where the triangles that wait are nearest to the collider, by shorter and shorter steps
   against the slope of the distance; they get the nearest points on the way. */
CLOTH_SEPARATE void descend(const touch_search *s, cell_batch *b) {
  descent d = descent_of(b);
  lanes best[3] = {d.weight[0], d.weight[1], d.weight[2]}, nearest = lanes_splat(0.0f), kept = nearest;
  lanes_mask goes = lanes_less(lanes_splat(0.0f), d.steps);
  for (int32_t n = 0; n < DESCENT_STEPS && lanes_any(goes); n++) {
    const lanes3 p = points_of_descent(&d), at = lanes3_flush_below(lanes3_add(d.corner, p), STATE_QUANTUM);
    lanes3 normal;
    const lanes distance = distances_to(s->b, &at, &normal);
    workspace_of(s->c)->cell_searches += s->b->searches * (int32_t)lanes_count(lanes_keep(goes, lanes_splat(1.0f)));
    kept = n == 0 ? distance : kept;
    const lanes_mask nearer = n == 0 ? goes : lanes_both(goes, lanes_less(distance, nearest));
    nearest = lanes_select(nearer, distance, nearest);
    for (int32_t k = 0; k < 3; k++) {
      best[k] = lanes_select(nearer, d.weight[k], best[k]);
    }
    goes = lanes_both(goes, step_down(&d, p, normal));
    goes = lanes_both(goes, lanes_less(lanes_splat((float)(n + 1)), d.steps));
  }
  float values[5][CLOTH_LANES];
  lanes_store(values[0], best[0]);
  lanes_store(values[1], best[1]);
  lanes_store(values[2], best[2]);
  lanes_store(values[3], nearest);
  lanes_store(values[4], kept);
  for (int32_t lane = 0; lane < b->count; lane++) {
    cell_triangle *t = &b->triangle[lane];
    for (int32_t n = 0; n < 3; n++) {
      t->weight[n] = values[n][lane];
    }
    t->nearest = values[3][lane];
    t->kept = values[4][lane];
  }
}

/* Chooses the point of a triangle, to which it has descended. *shift: from the remembered one to it, in the collider's
   axes. Returns 0 if it does not touch. */
static int choose_point(const touch_search *s, cell_triangle *t, cloth_vector *shift) {
  *shift = vector(0.0f, 0.0f, 0.0f);
  if (t->memory) {
    float before[3];
    start_weights(t->memory, before);
    if (t->nearest < t->kept - KEPT_SHARE * s->thickness) {
      *shift = vector_subtract(point_of_cell(t->from, t->weight), point_of_cell(t->from, before));
    } else {
      t->nearest = t->kept;
      start_weights(t->memory, t->weight);
    }
  }
  float sag = negate(t->nearest), least = t->nearest;
  for (int32_t n = 0; n < 3; n++) {
    sag += t->weight[n] * t->distance[n];
    least = minimum(least, t->distance[n]);
  }
  return t->memory ? !(sag < CELL_SAG * s->thickness) : !(sag < LEAST_SAG * s->thickness) && least > 0.0f;
}

/* Where the law begins at the point of a triangle: nearer, near buried pins. */
static float reach_of_cell(const touch_search *s, const int32_t place[3], const float weight[3]) {
  float reach = 0.0f;
  for (int32_t n = 0; n < 3; n++) {
    reach += weight[n] * (s->b->is_buried ? s->reach[place[n]] : s->thickness);
  }
  return CELL_REACH * reach;
}

/* Fills in the gap and the normal of a touch whose point goes from `from` to `to`. Returns 0 if it is too far. */
static int find_cell_gap(touch_search *s, cell_touch *e, cloth_vector from, cloth_vector to) {
  touch_way w = {.from = lanes3_splat(from), .to = lanes3_splat(to)};
  w.along = lanes3_flush_below(lanes3_subtract(w.to, w.from), STATE_QUANTUM);
  w.length = lanes3_length(w.along);
  lanes3 normal;
  lanes gap = distances_to(s->b, &w.to, &normal);
  const lanes_mask one = lanes_first(1), all = lanes_first(CLOTH_LANES);
  const lanes thickness = lanes_splat(s->thickness);
  e->way = lanes_first_value(w.length);
  const float most = e->reach + CELL_SLACK * s->thickness;
  if (e->way > LONG_WAY * s->thickness && e->reach > 0.0f && lanes_first_value(gap) < most + e->way) {
    const int32_t places = follow_ways(s->b, &w, one, thickness, &gap, &normal);
    workspace_of(s->c)->cell_searches += s->b->searches * (places < CELL_FOLLOWED ? places : CELL_FOLLOWED);
  }
  e->gap = lanes_first_value(gap);
  if (!(e->gap < most + FARTHER * e->way)) { return 0; }
  e->reach = lanes_first_value(bounded_reach(s, &w, all, gap, lanes_splat(e->reach)));
  e->normal = vector_flush_work(rotate(s->b->end.rotation, lanes3_first(normal)));
  return 1;
}

/* Adds the touch of a triangle, if it touches. */
CLOTH_SEPARATE void add_triangle(cell_search *search, cell_triangle *t) {
  touch_search *s = &search->s;
  workspace *w = workspace_of(s->c);
  const cell_memory *m = t->memory;
  cloth_vector shift;
  if (!choose_point(s, t, &shift)) { return; }
  if (w->cells == (int32_t)s->c->state.max_cells) {
    w->statistics.overflows++;
    return;
  }
  cell_touch *e = cell_touches_of(s->c) + w->cells;
  int32_t moves = 0, heaviest = 0;
  fill_zero(e, sizeof *e);
  for (int32_t n = 0; n < 3; n++) {
    e->place[n] = t->row[n] * s->a->pitch + t->column[n];
    e->weight[n] = t->weight[n];
    moves |= t->weight[n] > 0.0f && *own_at(s->a->diagonal, 1, e->place[n], 0) > 0.0f;
    heaviest = t->weight[heaviest] < t->weight[n] ? n : heaviest;
  }
  const cloth_vector from = point_of_cell(t->from, t->weight), to = point_of_cell(t->to, t->weight);
  e->reach = reach_of_cell(s, e->place, t->weight);
  if (!moves || !find_cell_gap(s, e, from, to)) { return; }
  e->key = t->key;
  e->collider = s->b->collider;
  e->particle = t->row[heaviest] * s->a->columns + t->column[heaviest];
  e->known = m != NULL;
  e->anchor = m ? vector_flush(vector_add(m->anchor, shift), STATE_QUANTUM) : from;
  if (m) {
    e->slides = m->slides;
    e->last = m->force;
  }
  const cloth_vector off = vector_flush(vector_subtract(to, e->anchor), STATE_QUANTUM);
  const cloth_vector way = vector_flush_work(rotate(s->b->end.rotation, off));
  e->offset = vector_flush_work(
      vector_add_scaled(way, e->normal, negate(flush_small(vector_dot(way, e->normal), WORK_QUANTUM))));
  w->cells++;
  s->is_deep |= e->gap < e->reach - s->thickness;
}

/* Adds the touches of the triangles that wait. */
static void add_waiting_triangles(cell_search *s) {
  cell_batch *b = &s->batch;
  if (b->count > 0) { descend(&s->s, b); }
  for (int32_t n = 0; n < b->count; n++) {
    add_triangle(s, &b->triangle[n]);
  }
  b->count = 0;
}

/* A triangle of the present block waits for others. */
static void take_triangle(cell_search *s, int32_t row, int32_t lane, int32_t second) {
  const touch_search *in = &s->s;
  const int32_t column = s->block + lane, next = column + 1 < in->a->columns ? column + 1 : 0;
  const int32_t below[3] = {0, second, 1}, right[3] = {0, !second, 1};
  const uint32_t key = cell_key(in->c, in->b->collider, row, column, second);
  if (s->tried >= most_cells_tried(in->c)) {
    workspace_of(in->c)->statistics.overflows++;
    return;
  }
  s->tried++;
  workspace_of(in->c)->cell_searches++;
  cell_triangle *t = &s->batch.triangle[s->batch.count++];
  t->key = key;
  t->memory = find_cell_memory(s, key);
  start_weights(t->memory, t->weight);
  for (int32_t n = 0; n < 3; n++) {
    const corner_row *r = &s->row[(row + below[n]) & 1];
    const int32_t k = lane + right[n];
    t->row[n] = row + below[n];
    t->column[n] = right[n] ? next : column;
    const cloth_vector place = near_vector(near_row(in->a->place, in->a->pitch, t->row[n]), in->a->plane, t->column[n]);
    t->from[n] = vector(r->from[0][k], r->from[1][k], r->from[2][k]);
    t->to[n] = vector_flush(to_local(&in->b->end, place), STATE_QUANTUM);
    t->distance[n] = r->distance[k];
  }
  if (s->batch.count == CLOTH_LANES) { add_waiting_triangles(s); }
}

/* The triangles of a row of the present block that are remembered: two bits for each cell. */
static uint32_t remembered_triangles(cell_search *s, int32_t row) {
  const uint32_t first = cell_key(s->s.c, s->s.b->collider, row, s->block, 0), count = *cells_remembered(s->s.c);
  const cell_memory *entry = cell_memories_of(s->s.c);
  uint32_t bits = 0;
  while (s->cursor < count && entry[s->cursor].key < first) {
    s->cursor++;
  }
  for (uint32_t n = s->cursor; n < count && entry[n].key - first < 2 * TOUCH_LANES; n++) {
    bits |= 1u << (entry[n].key - first);
  }
  return bits;
}

/* Searches, as those of particles, that a cell is charged for. */
#define SEARCHES_OF_CELL 2

/* Two bits for each of eight. */
static uint32_t doubled_places(uint32_t bits) {
  bits = (bits | bits << 4) & 0x0f0fu;
  bits = (bits | bits << 2) & 0x3333u;
  return (bits | bits << 1) & 0x5555u;
}

/* The triangles of a row of the present block that are near, and may touch or are remembered: two bits for each cell.
 */
CLOTH_SEPARATE uint32_t find_triangles(cell_search *s, int32_t row) {
  const int32_t left = cells_along_warp(s->s.c) - s->block, cells = left < TOUCH_LANES ? left : TOUCH_LANES;
  uint32_t first = 0, second = 0;
  const corner_row *above = block_corners(s, row), *under = block_corners(s, row + 1);
  workspace_of(s->s.c)->searched += s->body.searches * SEARCHES_OF_CELL * cells;
  s->way = maximum(above->way, under->way);
  for (int32_t k = 0; k < cells; k += CLOTH_LANES) {
    const corner_block a = corners_at(above, k), b = corners_at(above, k + 1), c = corners_at(under, k),
                       d = corners_at(under, k + 1);
    first |= lanes_bits(may_triangles_touch(s, &a, &b, &d)) << k;
    second |= lanes_bits(may_triangles_touch(s, &a, &c, &d)) << k;
  }
  const uint32_t may = doubled_places(first) | doubled_places(second) << 1;
  return (may | remembered_triangles(s, row)) & ((1u << 2 * cells) - 1u);
}

/* The triangles of a row of the present block. */
CLOTH_SEPARATE void find_cells_of_row(cell_search *s, int32_t row) {
  for (uint32_t bits = find_triangles(s, row); bits; bits &= bits - 1u) {
    const int32_t triangle = first_bit(bits), lane = triangle / 2;
#if WITH_GAPS
    if (is_gap(s->s.c, row * s->s.a->columns + s->block + lane, GAP_CELL)) { continue; }
#endif
    if (!s->has_reach) {
      s->body.is_buried = find_reach(s->s.c, &s->body);
      s->has_reach = 1;
    }
    take_triangle(s, row, lane, triangle % 2);
  }
}

/* Rows of cells of the present block, from `row` on, that are left out together: their box is too far. */
static int32_t rows_too_far(const cell_search *s, int32_t row) {
  const position_box *box = cell_boxes_of(s->s.c) + s->block / TOUCH_LANES * row_blocks(s->s.a) + row / BLOCK_ROWS;
  return row % BLOCK_ROWS > 0 || do_boxes_meet(box, &s->near) ? 0 : BLOCK_ROWS;
}

/* Finds the touches of cells with one collider. */
CLOTH_SEPARATE void find_cells_of(cell_search *s) {
  for (s->block = 0; s->block < cells_along_warp(s->s.c); s->block += TOUCH_LANES) {
    s->row[0].row = s->row[1].row = -1;
    for (int32_t row = 0; row + 1 < s->s.a->rows;) {
      const int32_t skipped = rows_too_far(s, row);
      if (skipped == 0) { find_cells_of_row(s, row); }
      row += skipped > 0 ? skipped : 1;
    }
  }
  add_waiting_triangles(s);
}

/* Finds the touches of cells with all colliders, after those of particles. Returns 1 if one would be farther inside
   than the law is thick. */
CLOTH_SEPARATE int32_t find_cell_touches(const cloth *c, const substep_terms *t) {
  const solve_arrays a = arrays_of(c);
  const float thickness = contact_thickness(c);
  int32_t is_deep = 0;
  cell_search s = {.s = {.c = c, .a = &a, .x = vectors_at(c, c->state.position)}, .row = corner_rows_of(c)};
  workspace_of(c)->cells = 0;
  if (collider_end(c) == 0) { return 0; }
  const position_box all = box_of_ways(c, &a);
  int32_t has_blocks = 0;
  for (int32_t index = 0; index < collider_end(c); index++) {
    if (!is_met_by_cells(c, index) || is_large(c, &slot_at(c, index)->body, thickness)) { continue; }
    if (!is_ball_near(c, index, &all, thickness)) { continue; }
    s.body = touched_body_of(c, t, index);
    s.has_reach = 0;
    s.s = (touch_search){.c = c,
                         .a = &a,
                         .b = &s.body,
                         .x = vectors_at(c, c->state.position),
                         .reach = floats_at(c, c->scratch.reach),
                         .thickness = thickness,
                         .push = c->settings.integration.max_push_speed * t->h};
    place_collider(&s);
    if (!do_boxes_meet(&s.near, &all)) { continue; }
    if (!has_blocks) {
      find_cell_boxes(&s.s);
      has_blocks = 1;
    }
    find_cells_of(&s);
    is_deep |= s.s.is_deep;
  }
  return is_deep;
}

#endif
