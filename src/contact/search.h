#pragma once
#include "../cloth/arrays.h"
#include "../cloth/gaps.h"
#include "body.h"
#include "geometry.h"
#include "hits.h"
#include "memory.h"
#include "shapes.h"
#include "touch.h"

/// Contact near buried pins ///

/*
 * A pin may lie inside a collider, as that of a cape in a shoulder: what hangs on it cannot be outside. So the distance
 * at which contact begins is, at a pin, the pin's own, and grows from there along the springs by half of their length,
 * up to the thickness.
 *
 * In: pins, place, a collider. Out: reach_of(). Scratch: ground, row buffers.
 */

/* How fast contact begins farther out along the cloth, from a buried pin on. */
#define BURIED_SLOPE 0.5f

/* By how much farther out than the pin itself contact begins, in shares of the thickness: what presses sinks in by some
   of it. */
#define BURIED_SHARE 0.3f

/* The distances at which contact with the collider that is looked at begins, of all places of the rows: in memory that
   is free while touches are looked for, and when the solve has ended. */
static float *reach_of(const cloth *c) {
  return floats_at(c, c->scratch.ground);
}

/* Lowers the distances at the ends of the springs that begin at a particle to what the other end allows. */
static void spread_reach(const cloth *c, const solve_arrays *a, float *reach, int32_t row, int32_t column) {
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    const int32_t step = d == WARP ? 1 : d == WEFT ? 0 : d == DIAGONAL ? 1 : -1, down = d == WARP ? 0 : 1;
    int32_t to = column + step;
    to = a->is_ring ? (to + a->columns) % a->columns : to;
    if (row + down < a->rows && to >= 0 && to < a->columns) {
      const float farther = BURIED_SLOPE * workspace_of(c)->plan.terms.spring[d].rest;
      float *here = &reach[row * a->pitch + column], *there = &reach[(row + down) * a->pitch + to];
      *there = minimum(*here + farther, *there);
      *here = minimum(*there + farther, *here);
    }
  }
}

/* The rows and columns in which contact may begin nearer than the thickness. */
typedef struct buried_area {
  int32_t first_row, end_row, first_column, end_column;
} buried_area;

/* How many springs lead at most from a pin where contact begins so much nearer than the thickness to a particle where
   it does, too: not even one, if a spring is long. */
static int32_t springs_to_thickness(const cloth *c, float nearer) {
  float shortest = workspace_of(c)->plan.terms.spring[0].rest;
  for (int32_t d = 1; d < DIRECTIONS; d++) {
    shortest = minimum(workspace_of(c)->plan.terms.spring[d].rest, shortest);
  }
  const float springs = BOX_SLACK * nearer / (BURIED_SLOPE * shortest);
  return springs < (float)CLOTH_GRID_LIMIT ? (int32_t)springs : CLOTH_GRID_LIMIT;
}

/* Widens an area by that around a pin. Around a tube it has all columns. */
static void widen_area(buried_area *area, const cloth *c, int32_t row, int32_t column, int32_t springs) {
  const int32_t is_ring = is_wrapped(c), columns = c->grid.columns;
  const int32_t left = is_ring ? 0 : column - springs, right = is_ring ? columns : column + springs + 1;
  area->first_row = larger_of(0, smaller_of(area->first_row, row - springs));
  area->end_row = smaller_of(c->grid.rows, larger_of(area->end_row, row + springs + 1));
  area->first_column = larger_of(0, smaller_of(area->first_column, left));
  area->end_column = smaller_of(columns, larger_of(area->end_column, right));
}

/* Spreads the distances of pins over an area, forwards, then backwards. */
CLOTH_ONCE void spread_in_area(const cloth *c, const buried_area *area, float *reach) {
  const solve_arrays *a = arrays_of(c);
  const int32_t columns = area->end_column - area->first_column;
  const int32_t count = columns * (area->end_row - area->first_row);
  for (int32_t n = 0; n < 2 * count; n++) {
    const int32_t i = n < count ? n : 2 * count - 1 - n;
    spread_reach(c, a, reach, area->first_row + i / columns, area->first_column + i % columns);
  }
}

/* The box around the held particles of a cloth, where they are linearised; around nothing where there are none. */
static position_box box_of_held(const cloth *c) {
  const solve_arrays *a = arrays_of(c);
  position_box box = empty_box();
  for (int32_t i = next_step_held(c, 0); i < c->count; i = next_step_held(c, i + 1)) {
    hold_point(&box, near_particle(a, a->place, i));
  }
  return box;
}

/* Finds where contact with a collider begins; `held`: see box_of_held(). Returns 1 if a pin is nearer than the
   thickness. */
CLOTH_SEPARATE int32_t find_reach(const cloth *c, const touched_body *b, const position_box *held) {
  const int32_t columns = c->grid.columns, rows = c->grid.rows, pitch = pitch_of(c), plane = near_plane(pitch, rows);
  const float thickness = contact_thickness(c), near = BOX_SLACK * (b->reach + thickness);
  if (!(box_distance_squared(held, b->end.position) < near * near)) { return 0; }
  float *reach = reach_of(c), *place = near_array(c, c->scratch.place);
  hit_search *room = is_surface(b->shape->shape) ? (hit_search *)room_between_passes(c) : NULL;
  buried_area area = {rows, 0, columns, 0};
  int32_t is_buried = 0;
  for (int32_t i = next_step_held(c, 0); i < c->count; i = next_step_held(c, i + 1)) {
    const int32_t row = i / columns, column = i - row * columns;
    const cloth_vector x = near_vector(near_row(place, pitch, row), plane, column);
    const cloth_vector off = vector_flush_work(vector_subtract(x, b->end.position));
    if (!(vector_dot(off, off) < near * near)) { continue; }
    const cloth_vector p = to_local(&b->end, x);
    cloth_vector normal;
    const float distance = room ? distance_from_surface(room, b->geometry, p, thickness)
                                : distance_of_point(b->shape, b->geometry, p, &normal);
    const float begins = distance + BURIED_SHARE * thickness;
    if (!(begins < thickness)) { continue; }
    if (!is_buried) { EACH_BLOCK(n, left, rows * pitch, lanes_store_first(reach + n, lanes_splat(thickness), left)); }
    is_buried = 1;
    reach[row * pitch + column] = begins;
    const int32_t springs = springs_to_thickness(c, thickness - begins);
    if (springs > 0) { widen_area(&area, c, row, column, springs); }
  }
  if (area.first_row < area.end_row) { spread_in_area(c, &area, reach); }
  if (room) { clear_room(c, sizeof(hit_search)); }
  return is_buried;
}

/// Search for touches ///

/*
 * Which particles may touch a collider in a substep, and how: what contact needs first, found before anything is
 * linearised. In the axes of the collider a particle goes from where the substep begins, p_0, to where it is
 * linearised, p_1, straight. Its gap is
 *
 *   the distance of p_1, if the way is short, or begins inside;
 *   otherwise that of p_1 from the plane that is tangent to the surface where the way first comes near: so nothing
 *   passes, however thin the collider is.
 *
 * The first place is found by conservative advancement: a point may go as far as its distance without touching.
 *
 * In: position, place, diagonal, colliders, memory of contact. Out: the list of touches; in ground the boxes of tiles,
 * and which particles are near. Scratch: ground.
 */

/* Ways longer than this share of the thickness are followed: shorter ones cannot pass the law. */
#define LONG_WAY 0.25f
/* Conservative advancement: a way has come near at this share of the thickness; steps are no shorter than this share,
   and there are at most so many. */
#define NEAR_SHARE 0.1f
#define LEAST_ADVANCE 0.05f
#define MOST_ADVANCES 24
/* Share of the way by which touches are looked for farther out: neighbours may pull a particle along. */
#define FARTHER 1.0f

/* The way of a block of particles in the axes of a collider. */
typedef struct touch_way {
  lanes3 from, to, along;
  lanes length;
  lanes reach; /* the distance from which the law acts */
} touch_way;

/* Follows ways that are long and begin outside: the gaps of those that come near, and the normals there. Returns how
   many places have been looked at. */
CLOTH_SEPARATE int32_t follow_ways(const touched_body *b, const touch_way *w, lanes_mask which, lanes thickness,
                                   lanes *gap, lanes3 *normal) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f),
              near = lanes_multiply(thickness, lanes_splat(NEAR_SHARE));
  const lanes least = lanes_multiply(thickness, lanes_splat(LEAST_ADVANCE));
  lanes3 n, p = w->from;
  lanes distance = distances_to(b, &p, &n), t = zero;
  lanes_mask left = lanes_both(which, lanes_less(zero, distance));
  int32_t places = 0;
  for (int32_t advance = 0; advance < MOST_ADVANCES && lanes_any(left); advance++) {
    places += (int32_t)lanes_count(lanes_keep(left, one));
    const lanes_mask arrives = lanes_both(left, lanes_less(distance, near));
    const lanes beyond = lanes_add(distance, lanes3_dot(n, lanes3_flush(lanes3_subtract(w->to, p))));
    *gap = lanes_select(arrives, beyond, *gap);
    *normal = lanes3_select(arrives, n, *normal);
    t = lanes_add(t, lanes_divide(lanes_maximum(distance, least), w->length));
    t = lanes_select(arrives, one, t);
    left = lanes_both(left, lanes_less(t, one));
    p = lanes3_flush_below(lanes3_add_scaled(w->from, w->along, t), STATE_QUANTUM);
    distance = distances_to(b, &p, &n);
  }
  return places;
}

/* Rows of a tile: eight columns of so many rows have one box. Of fewer there are more boxes to compare, of more there
   are more particles in those that are near. */
#define TILE_ROWS 8 /* a power of two */

/* Boxes around tiles of particles, by rows of tiles, where they are linearised, and the longest of their ways; of the
   collider that is looked at: which rows of a tile have particles around its box, as bits, and how far beyond it they
   are of interest [m]; and which particles of a block are near, as bits. They stand behind reach_of() in memory that is
   free until terms have blocks: nine floats a tile and one a block are less than it has beside that, five a place. */
typedef struct tile_boxes {
  vector_array centre, half;
  float *way, *margin;
  uint32_t *rows, *near;
  int32_t along, count; /* tiles beside each other; all of them */
} tile_boxes;

static tile_boxes boxes_of(const cloth *c) {
  const int32_t along = touch_blocks(c->grid.columns), down = (c->grid.rows + TILE_ROWS - 1) / TILE_ROWS;
  const int32_t room = row_pitch(along * down);
  float *from = reach_of(c) + pitch_of(c) * c->grid.rows;
  return (tile_boxes){.centre = {from, from + room, from + 2 * room},
                      .half = {from + 3 * room, from + 4 * room, from + 5 * room},
                      .way = from + 6 * room,
                      .margin = from + 7 * room,
                      .rows = (uint32_t *)(void *)(from + 8 * room),
                      .near = (uint32_t *)(void *)(from + 9 * room),
                      .along = along,
                      .count = along * down};
}

/* The box of tile number `n`, and the longest of its ways. */
CLOTH_INLINE position_box find_tile_box(const solve_arrays *a, vector_array x, const tile_boxes *boxes, int32_t n) {
  const int32_t first_row = n / boxes->along * TILE_ROWS, end = smaller_of(first_row + TILE_ROWS, a->rows);
  const int32_t column = n % boxes->along * TOUCH_LANES;
  const lanes3 first = lanes3_splat(near_vector(near_row(a->place, a->pitch, first_row), a->plane, column));
  lanes3 low = first, high = first;
  lanes way = lanes_splat(0.0f);
  for (int32_t k = 0; k < TOUCH_LANES && column + k < a->columns; k += CLOTH_LANES) {
    const lanes_mask exists = lanes_first(a->columns - column - k);
    for (int32_t row = first_row; row < end; row++) {
      const lanes3 place = near_load(near_row(a->place, a->pitch, row), a->plane, column + k);
      const lanes3 to = lanes3_select(exists, place, first);
      const lanes3 along = lanes3_subtract(to, lanes3_load(x, row * a->columns + column + k));
      low = lanes3_minimum(low, to);
      high = lanes3_maximum(high, to);
      way = lanes_maximum(lanes_keep(exists, lanes3_dot(along, along)), way);
    }
  }
  boxes->way[n] = square_root(lanes_largest(way, 0.0f));
  return box_of_lanes(low, high);
}

/* The boxes of all tiles; behind them, where lanes are loaded, zeros. Returns where the particles of the cloth may go
   in the substep: around where they are linearised, as far as their ways go. */
CLOTH_SEPARATE position_box find_tile_boxes(const cloth *c) {
  const solve_arrays *a = arrays_of(c);
  const tile_boxes boxes = boxes_of(c);
  position_box all = empty_box();
  float way = 0.0f;
  clear_floats(boxes.centre.x, 7 * row_pitch(boxes.count));
  for (int32_t n = 0; n < boxes.count; n++) {
    const position_box box = find_tile_box(a, vectors_at(c, c->state.position), &boxes, n);
    vector_store(boxes.centre, n, vector_scale(vector_add(box.low, box.high), 0.5f));
    vector_store(boxes.half, n, vector_scale(vector_subtract(box.high, box.low), 0.5f));
    all = box_around_both(&all, &box);
    way = maximum(boxes.way[n], way);
  }
  return box_beyond(&all, way);
}

/* Where the particles of a cloth may go in a part, and where those are that are held. */
typedef struct touch_bounds {
  position_box all, held;
} touch_bounds;

/* Begins the search in a part: nothing touches yet. Returns 0 if there are no colliders. */
static int start_touches(const cloth *c, touch_bounds *bounds) {
  clear_touches(c);
  workspace_of(c)->cells = 0;
  if (collider_end(c) == 0) { return 0; }
  bounds->all = find_tile_boxes(c);
  bounds->held = box_of_held(c);
  return 1;
}

/* 1 if the collider at an index may touch what lies in a box in the substep: by the ball around it, on all of its way
   of the step. */
static int is_ball_near(const cloth *c, int32_t index, const position_box *box, float thickness) {
  const collider_slot *slot = slot_at(c, index);
  const body_unknown *unknown = find_unknown(c, index);
  const cloth_vector from = unknown ? unknown->start.position : place_in_step(c, slot->previous.position);
  const cloth_vector to = unknown ? unknown->end.position : place_in_step(c, slot->body.pose.position);
  const float shift = vector_length(vector_flush_work(vector_subtract(to, from)));
  const float reach = BOX_SLACK * (body_reach(&slot->body, geometry_of(c, &slot->body)) + 2.0f * thickness + shift);
  return box_distance_squared(box, to) < reach * reach;
}

/* The least distance of a box from a plane at a pose. */
static float box_above_plane(const cloth_pose *pose, const position_box *box) {
  const cloth_vector n = vector_flush_work(rotate(pose->rotation, vector(0.0f, 1.0f, 0.0f)));
  const cloth_vector nearest = vector(n.x > 0.0f ? box->low.x : box->high.x, n.y > 0.0f ? box->low.y : box->high.y,
                                      n.z > 0.0f ? box->low.z : box->high.z);
  return vector_dot(n, vector_flush_work(vector_subtract(nearest, pose->position)));
}

/* 1 if a collider is no plane, or one that may touch what lies in a box. */
static int is_plane_near(const touched_body *b, const position_box *box, float thickness) {
  return b->shape->shape != CLOTH_SHAPE_PLANE ||
         minimum(box_above_plane(&b->start, box), box_above_plane(&b->end, box)) < 2.0f * thickness;
}

/* What a search for touches of one collider takes. */
typedef struct touch_search {
  const cloth *c;
  const solve_arrays *a;
  const touched_body *b;
  vector_array x;
  tile_boxes boxes;
  cloth_vector centre, half; /* of the collider's box */
  const float *reach;
  float thickness;
  float turn;                    /* no point moves farther by the collider's turn than this share of its distance */
  float farthest;                /* no particle of the tile goes farther as the collider sees it [m] */
  float push;                    /* farthest that particles are pushed out [m] */
  float beyond;                  /* particles are looked at that may come so near [m] */
  float beside;                  /* they are near that are nearer than this and the longest way of their tile [m] */
  uint32_t near;                 /* which of the block are */
  int32_t first_near, last_near; /* rows that have some */
  int32_t is_deep;               /* 1: a particle would be farther inside than the law is thick */
} touch_search;

/* Begins a search among colliders, to each of which `b` goes. */
static void start_search(const cloth *c, touch_search *s, const touched_body *b) {
  fill_zero(s, sizeof *s);
  s->c = c;
  s->a = arrays_of(c);
  s->b = b;
  s->x = vectors_at(c, c->state.position);
  s->boxes = boxes_of(c);
  s->reach = reach_of(c);
  s->thickness = contact_thickness(c);
}

/* Sets along and length of a way whose ends are known. */
CLOTH_INLINE void complete_way(touch_way *w) {
  w->along = lanes3_flush_below(lanes3_subtract(w->to, w->from), STATE_QUANTUM);
  w->length = lanes3_length(w->along);
}

/* Fills in lanes `k` of a touch: gaps and normals in world axes of those that touch; the law begins at w->reach.
   Offsets lead from anchors to where particles are linearised, along the surface; a contact that is not remembered is
   held to where its way begins. */
CLOTH_INLINE void fill_touch(touch_search *s, touch *e, int32_t k, const touch_way *w, lanes_mask touches, lanes gap,
                             lanes3 normal) {
  const remembered m = remember(s->c, touched_number(e), e->row * s->a->columns + e->column + k);
  const lanes3 anchor = lanes3_select(m.known, m.anchor, w->from);
  const lanes3 off = lanes3_flush(lanes3_rotate(s->b->end.rotation, lanes3_subtract(w->to, anchor)));
  touch_vector_store(e, TOUCH_NORMAL, k, lanes3_keep(touches, normal));
  touch_store(e, TOUCH_GAP, k, lanes_select(touches, gap, lanes_splat(FAR_GAP)));
  touch_vector_store(e, TOUCH_OFFSET, k, lanes3_keep(touches, lanes3_across(off, normal)));
  touch_store(e, TOUCH_REACH, k, w->reach);
  const lanes_mask fast = lanes_less(lanes_splat(FAST_WAY * s->thickness), w->length);
  e->fast = (uint8_t)(e->fast | lanes_bits(lanes_both(touches, fast)) << k);
  s->is_deep |= lanes_any(lanes_both(touches, lanes_less(gap, lanes_subtract(w->reach, lanes_splat(s->thickness)))));
}

/* 1 for the particles of a block of a row, of which `left` exist, that are held: a body meets them, too. */
static lanes held_particles(const cloth *c, int32_t particle, int32_t left) {
  float held[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const int32_t i = particle + lane;
    held[lane] = lane < left && is_held(c, i) && !is_gap(c, i, GAP_PARTICLE) ? 1.0f : 0.0f;
  }
  return lanes_load(held);
}

/* The distances from which the law acts on particles at a gap: `reach`, but those that begin farther inside than it is
   thick, as no contact leaves them, it pushes out no faster than it may. */
CLOTH_INLINE lanes bounded_reach(const touch_search *s, const touch_way *w, lanes_mask touches, lanes gap,
                                 lanes reach) {
  const lanes deep = lanes_subtract(reach, lanes_splat(s->thickness)), nearest = lanes_subtract(gap, w->length);
  if (!lanes_any(lanes_both(touches, lanes_less(nearest, deep)))) { return reach; }
  lanes3 normal;
  const lanes begins = distances_to(s->b, &w->from, &normal);
  const lanes bounded = lanes_minimum(reach, lanes_add(begins, lanes_splat(s->push)));
  return lanes_select(lanes_less(begins, deep), bounded, reach);
}

/* Half of the box of the collider, widened by what is of interest. */
CLOTH_INLINE lanes3 wide_half(const touch_search *s) {
  const lanes margin = lanes_splat(BOX_SLACK * (s->beyond + s->farthest));
  return lanes3_add(lanes3_splat(s->half), lanes3_of(margin, margin, margin));
}

/* Which particles of a block lie in a box. */
CLOTH_INLINE lanes_mask are_in_box(lanes3 p, lanes3 centre, lanes3 half) {
  const lanes3 off = lanes3_subtract(p, centre);
  return lanes3_less(lanes3_of(lanes_absolute(off.x), lanes_absolute(off.y), lanes_absolute(off.z)), half);
}

/* Charges places at which the ways of a block were compared with a collider. */
static void charge_places(const touch_search *s, int32_t places) {
  const int is_grid = is_distance_grid(s->b->shape->shape);
  const int32_t searches = is_grid ? GRID_SEARCHES * places : places, most = most_followed(is_grid) * CLOTH_LANES;
  workspace_of(s->c)->searched += s->b->searches * (searches < most ? searches : most);
}

/* Finds the touches of one block of lanes of the touch that is being made. Returns 1 if there are any. */
CLOTH_SEPARATE int find_touch_lanes(touch_search *s, touch *e, int32_t k) {
  const solve_arrays *a = s->a;
  const touched_body *b = s->b;
  const int32_t i = e->column + k, particle = e->row * a->columns + i;
  const lanes thickness = lanes_splat(s->thickness), zero = lanes_splat(0.0f);
  const lanes3 place = near_load(near_row(a->place, a->pitch, e->row), a->plane, i);
  const lanes_mask around = are_in_box(place, lanes3_splat(s->centre), wide_half(s));
  if (!lanes_any(around)) { return 0; }
  lanes_mask moves = lanes_less(zero, lanes_load(a->diagonal + e->row * a->pitch + i));
  if (b->unknown) {
    const lanes held = held_particles(s->c, particle, a->columns - i);
    moves = lanes_less(zero, lanes_select(moves, lanes_splat(1.0f), held));
  }
  touch_way w = {.to = lanes_to_local(&b->end, place)};
  lanes3 normal;
  lanes gap = distances_to(b, &w.to, &normal);
  s->near |= lanes_bits(lanes_both(around, lanes_less(gap, lanes_splat(s->beside + s->farthest)))) << k;
  lanes_mask near = lanes_both(moves, lanes_less(gap, lanes_splat(2.0f * s->thickness + s->farthest)));
  near = lanes_both(near, around);
  if (!lanes_any(near)) { return 0; }
  w.from = lanes_to_local(&b->start, lanes3_load(s->x, particle));
  complete_way(&w);
  const lanes reach = b->is_buried ? lanes_load(s->reach + e->row * a->pitch + i) : thickness,
              most = lanes_add(reach, thickness);
  near = lanes_both(near, lanes_less(gap, lanes_add(most, w.length)));
  const lanes_mask is_long =
      lanes_both(lanes_less(lanes_multiply(thickness, lanes_splat(LONG_WAY)), w.length), lanes_less(zero, reach));
  const lanes_mask follows = lanes_both(near, is_long);
  if (lanes_any(follows)) {
    const int32_t places = follow_ways(b, &w, follows, thickness, &gap, &normal);
    charge_places(s, places);
  }
  const lanes far = lanes_add(most, lanes_multiply(w.length, lanes_splat(FARTHER)));
  const lanes_mask touches = lanes_both(near, lanes_less(gap, far));
  if (!lanes_any(touches)) { return 0; }
  w.reach = bounded_reach(s, &w, touches, gap, reach);
  fill_touch(s, e, k, &w, touches, gap, lanes3_flush(lanes3_rotate(b->end.rotation, normal)));
  return 1;
}

/* By which share of its distance from the collider's position a point moves most, as the collider turns. */
static float turn_of(const touched_body *b) {
  const cloth_rotation p = b->start.rotation, q = b->end.rotation;
  const float sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0f ? -1.0f : 1.0f;
  const cloth_vector off = vector(q.x - sign * p.x, q.y - sign * p.y, q.z - sign * p.z);
  const float last = q.w - sign * p.w, most = maximum(last, negate(last));
  return 2.0f * (vector_length(off) + most);
}

/* Which of the tiles from `first` on the collider may touch. A convex one is nowhere in front of the plane that is as
   far from the middle of the box as itself. */
CLOTH_INLINE lanes_mask are_tiles_near(const touch_search *s, int32_t first) {
  const lanes3 half = lanes3_load(s->boxes.half, first);
  const lanes3 p = lanes_to_local(&s->b->end, lanes3_load(s->boxes.centre, first));
  const lanes away = lanes3_length(p), radius = lanes3_length(half);
  lanes3 normal;
  lanes distance = lanes_subtract(away, lanes_splat(s->b->reach)), deep = radius;
  if (!is_distance_grid(s->b->shape->shape)) {
    distance = distances_to(s->b, &p, &normal);
    const lanes3 n = lanes3_flush(lanes3_rotate(s->b->end.rotation, normal));
    deep = lanes3_dot(half, lanes3_of(lanes_absolute(n.x), lanes_absolute(n.y), lanes_absolute(n.z)));
  }
  const lanes turned = lanes_multiply(lanes_add(away, radius), lanes_splat(s->turn));
  const lanes ways = lanes_add(lanes_load(s->boxes.way + first), lanes_splat(s->beyond + s->b->shift));
  return lanes_less(distance, lanes_multiply(lanes_add(lanes_add(deep, ways), turned), lanes_splat(BOX_SLACK)));
}

/* How far particles of tile number `n` go at most, as the collider sees it. */
static float longest_way(const touch_search *s, int32_t n) {
  const cloth_vector off = vector_subtract(vector_load(s->boxes.centre, n), s->b->end.position);
  const float radius = s->turn > 0.0f ? vector_length(vector_load(s->boxes.half, n)) : 0.0f;
  const float away = s->turn > 0.0f ? vector_length(vector_flush_work(off)) + radius : 0.0f;
  return s->boxes.way[n] + s->b->shift + s->turn * away;
}

/* Notes the rows of tile number `n` of whose particles one lies around the box of the collider. */
CLOTH_INLINE void find_rows_in_box(touch_search *s, int32_t n) {
  const solve_arrays *a = s->a;
  const int32_t first = n / s->boxes.along * TILE_ROWS, column = n % s->boxes.along * TOUCH_LANES;
  const int32_t rows = smaller_of(a->rows - first, TILE_ROWS);
  uint32_t found = 0;
  s->farthest = s->boxes.margin[n];
  const lanes3 centre = lanes3_splat(s->centre), half = wide_half(s);
  for (int32_t k = 0; k < TOUCH_LANES && column + k < a->columns; k += CLOTH_LANES) {
    const lanes_mask exists = lanes_first(a->columns - column - k);
    for (int32_t row = 0; row < rows; row++) {
      const lanes3 p = near_load(near_row(a->place, a->pitch, first + row), a->plane, column + k);
      found |= (uint32_t)lanes_any(lanes_both(are_in_box(p, centre, half), exists)) << row;
    }
  }
  s->boxes.rows[n] = found;
}

/* Chooses what of the tiles lies around the box of the collider that is looked at, as far as its particles go. */
CLOTH_SEPARATE void choose_tiles(touch_search *s) {
  const position_box box = box_of_body(s->b);
  s->half = vector_scale(vector_subtract(box.high, box.low), 0.5f);
  s->centre = vector_add(box.low, s->half);
  s->turn = turn_of(s->b);
  fill_zero(s->boxes.rows, (uint32_t)s->boxes.count * sizeof *s->boxes.rows);
  for (int32_t first = 0; first < s->boxes.count; first += CLOTH_LANES) {
    uint32_t near = lanes_bits(lanes_both(are_tiles_near(s, first), lanes_first(s->boxes.count - first)));
    for (; near; near &= near - 1u) {
      const int32_t n = first + first_bit(near);
      s->boxes.margin[n] = BOX_SLACK * longest_way(s, n);
      find_rows_in_box(s, n);
    }
  }
}

/* Which rows of the tiles from row `top` on have blocks around the box of the collider, as bits. */
static uint32_t rows_of_tiles(const touch_search *s, int32_t top) {
  uint32_t rows = 0;
  for (int32_t n = 0; n < s->boxes.along; n++) {
    rows |= s->boxes.rows[top / TILE_ROWS * s->boxes.along + n];
  }
  return rows;
}

/* Runs a statement for each block of particles around the box of the collider, in `tile` at `row` and `column`, row by
   row. */
#define EACH_NEAR_BLOCK(s, tile, row, column, statement)                                                               \
  for (int32_t top = 0; top < (s)->a->rows; top += TILE_ROWS) {                                                        \
    for (uint32_t rows = rows_of_tiles(s, top); rows; rows &= rows - 1u) {                                             \
      const int32_t row = top + first_bit(rows);                                                                       \
      for (int32_t column = 0; column < (s)->a->columns; column += TOUCH_LANES) {                                      \
        const int32_t tile = top / TILE_ROWS * (s)->boxes.along + column / TOUCH_LANES;                                \
        if ((s)->boxes.rows[tile] >> row % TILE_ROWS & 1u) { statement; }                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }

/* Begins the touch of a block of particles with a face of the collider, behind the end of the list. */
static touch *open_touch(const touch_search *s, int32_t row, int32_t column, int32_t face) {
  touch *e = touches_of(s->c) + workspace_of(s->c)->touches;
  e->row = (int16_t)row;
  e->column = (int16_t)column;
  e->collider = (int16_t)s->b->collider;
  e->face = (uint8_t)face;
  e->fast = 0;
  for (int32_t k = 0; k < TOUCH_LANES; k += CLOTH_LANES) {
    touch_store(e, TOUCH_GAP, k, lanes_splat(FAR_GAP));
  }
  return e;
}

/* Ends a touch. Lanes in which nothing touches hold zeros beside their gap. */
static void close_touch(const touch_search *s, touch *e, int touches) {
  if (!touches) { return; }
  EACH_TOUCH_LANES(e, s->a->columns, k, {
    for (int32_t what = 0; what < TOUCH_FLOATS && !lanes_any(touch_mask(e, k)); what++) {
      touch_store(e, what, k, lanes_splat(what == TOUCH_GAP ? FAR_GAP : 0.0f));
    }
  });
  keep_touch(s->c);
}

static void find_touches_of_block(touch_search *s, int32_t row, int32_t column) {
  touch *e = open_touch(s, row, column, 0);
  int touches = 0;
  s->near = 0;
  workspace_of(s->c)->searched += s->b->searches * smaller_of(s->a->columns - column, TOUCH_LANES);
  EACH_TOUCH_LANES(e, s->a->columns, k, touches |= find_touch_lanes(s, e, k));
  s->boxes.near[row * s->boxes.along + column / TOUCH_LANES] = s->near;
  if (s->near) {
    s->first_near = smaller_of(row, s->first_near);
    s->last_near = row;
  }
  close_touch(s, e, touches);
}

CLOTH_SEPARATE void find_touches_of(touch_search *s) {
  s->first_near = s->a->rows;
  s->last_near = -1;
  fill_zero(s->boxes.near, (uint32_t)(s->boxes.along * s->a->rows) * sizeof *s->boxes.near);
  choose_tiles(s);
  EACH_NEAR_BLOCK(s, tile, row, column, {
    s->farthest = s->boxes.margin[tile];
    find_touches_of_block(s, row, column);
  });
}

/* Takes the particles that are attached to a collider out of its touches. */
static void leave_attached(const cloth *c, const solve_arrays *a, int32_t collider) {
  touch *list = touches_of(c);
  for (int32_t n = 0; WITH_BODIES && n < inputs_of(c)->attachment_count; n++) {
    const attachment *held = &attachments_of(c)[n];
    const int32_t row = held->particle / a->columns, column = held->particle - row * a->columns;
    for (int32_t k = *chain_at(c, row, column); held->collider == collider && k >= 0; k = list[k].next) {
      if (list[k].collider == collider) {
        for (int32_t what = 0; what < TOUCH_FLOATS; what++) {
          list[k].value[what][column - list[k].column] = what == TOUCH_GAP ? FAR_GAP : 0.0f;
        }
      }
    }
  }
}
